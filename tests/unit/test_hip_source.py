"""The rewriter changes HIP's constructs, nothing else, and keeps every line where it was."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentkernelarena.toolchain.hip_source import rewrite
from agentkernelarena.toolchain.hip_token import kernel_names, tokens_of


def launch(text: str) -> str:
    """The rewritten launch inside a function, without the function."""
    result = rewrite("void f() { " + text + " }")
    assert result.notes == ()
    return result.text.removeprefix("void f() { ").removesuffix(" }")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k<<<1, 2>>>(x);", "HIP_CPU_LAUNCH((k), 1, 2)(x);"),
        ("k<T, 4><<<g, b, 0, s>>>(x);", "HIP_CPU_LAUNCH((k<T, 4>), g, b, 0, s)(x);"),
        ("a::b::k<<<g, b>>>();", "HIP_CPU_LAUNCH((a::b::k), g, b)();"),
        ("::k<<<g, b>>>();", "HIP_CPU_LAUNCH((::k), g, b)();"),
        ("k<(1 > 0)><<<g, b>>>();", "HIP_CPU_LAUNCH((k<(1 > 0)>), g, b)();"),
        ("k<A<B<int>>><<<g, b>>>();", "HIP_CPU_LAUNCH((k<A<B<int>>>), g, b)();"),
        (
            "if (n) k<<<g, b>>>(); else q<<<g, b>>>();",
            "if (n) HIP_CPU_LAUNCH((k), g, b)(); else HIP_CPU_LAUNCH((q), g, b)();",
        ),
        ("return k<<<g, b>>>();", "return HIP_CPU_LAUNCH((k), g, b)();"),
        ("table[i + 1]<<<g, b>>>();", "HIP_CPU_LAUNCH((table[i + 1]), g, b)();"),
        ("(*p)<<<g, b>>>();", "HIP_CPU_LAUNCH(((*p)), g, b)();"),
        ("s.k<<<g, b>>>();", "HIP_CPU_LAUNCH((s.k), g, b)();"),
        ("HIP_KERNEL_NAME(k<1, 2>)<<<g, b>>>();", "HIP_CPU_LAUNCH((HIP_KERNEL_NAME(k<1, 2>)), g, b)();"),
        (
            "k<<<dim3(1, 2), dim3{3, 4}, f<A<B<C>>>(1)>>>(x);",
            "HIP_CPU_LAUNCH((k), dim3(1, 2), dim3{3, 4}, f<A<B<C>>>(1))(x);",
        ),
        ("k<<<g, b>>>(x, NULL, 0);", "HIP_CPU_LAUNCH((k), g, b)(x, nullptr, 0);"),
        ("k /* one */ <<< g, // two\n b >>> (x);", "HIP_CPU_LAUNCH((k /* one */ ),  g, // two\n b ) (x);"),
    ],
)
def test_launches(text: str, expected: str) -> None:
    assert launch(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        'const char* s = "k<<<1, 2>>>(x)";',
        "// k<<<1, 2>>>(x)\nint a;",
        "/* __shared__ float s[4]; k<<<1, 2>>>(x) */",
        'auto s = R"(k<<<1, 2>>>(x); __shared__ int a;)";',
        'auto s = R"ab(" )" k<<<1>>>() )ab";',
        "std::ostream& operator<<<T>(std::ostream&, const T&);",
        "int a = b << 2 >> 1; vector<vector<vector<int>>> v;",
        "char c = '\"'; char d = '\\''; int million = 1'000'000;",
        "template <class T> T f(T a) { return a < a ? a : (T)(void*)0; }",
    ],
)
def test_plain_text_stays(text: str) -> None:
    assert rewrite(text).text == text


SHARED = [
    ("__shared__ float a[4];", ["a"]),
    ("__shared__ float a[4][5], b, *c;", ["a", "b", "c"]),
    ("static __shared__ int a;", ["a"]),
    ("__shared__ static int a;", ["a"]),
    ("volatile __shared__ int a[2];", ["a"]),
    ("__shared__ volatile int a[2];", ["a"]),
    ("float __shared__ a[2];", ["a"]),
    ("__shared__ Pair<int, A<2>> a[3], b;", ["a", "b"]),
    ("__shared__ typename X::Storage a;", ["a"]),
    ("__shared__ __align__(16) float a[8];", ["a"]),
    ("__align__(16) __shared__ float a[8];", ["a"]),
    ("__shared__ alignas(N < 2 ? 16 : 32) float a[8];", ["a"]),
    ("__shared__ __attribute__((aligned(16))) float a[8];", ["a"]),
    ("__shared__ struct { int x; float y[2]; } a;", ["a"]),
    ("__shared__ unsigned char a[sizeof(float) * (T + 1)];", ["a"]),
]


@pytest.mark.parametrize(("text", "names"), SHARED)
def test_shared_declarations_become_references(text: str, names: list[str]) -> None:
    result = rewrite("__device__ void f() { " + text + " }")
    assert result.notes == ()
    assert "__shared__" not in result.text
    assert "align" not in result.text
    assert result.text.count("typedef") == 1
    for name in names:
        assert (
            f'hip_cpu_t_{name}& {name} = hip_cpu::shared<hip_cpu_t_{name}>(hip_cpu_s_{name}, "{name}");' in result.text
        )
    assert result.text.count("hip_cpu::shared<") == len(names)


def test_dynamic_shared_memory() -> None:
    text = rewrite("__global__ void k() { extern __shared__ float4 a[]; a[0] = b; }").text
    assert "typedef  float4 hip_cpu_t_a[]; hip_cpu_t_a& a = hip_cpu::dynamic_shared<hip_cpu_t_a>();" in re.sub(
        r"typedef +", "typedef  ", text
    )


def test_dynamic_shared_memory_at_namespace_scope() -> None:
    text = rewrite("namespace n {\nextern __shared__ char a[];\n}\nvoid f() { g(reinterpret_cast<int*>(a)); }").text
    assert "static const hip_cpu::DynamicShared<hip_cpu_t_a> a{};" in text
    assert "reinterpret_cast<int*>(a.data())" in text


def test_shared_in_a_macro_pastes_its_parameter() -> None:
    text = rewrite("#define TILE(T, name) __shared__ T name[16]\n#define ONE __shared__ int one;\nint after;\n").text
    assert "hip_cpu_t_##name& name = hip_cpu::shared<hip_cpu_t_##name>(hip_cpu_s_##name, #name)\n" in text
    assert "hip_cpu_t_one& one" in text
    assert text.endswith("int after;\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("int a;\n__shared__ int b[3];", "namespace scope"),
        ("__global__ void k() {\n __shared__ int b = 3; }", "initialiser"),
        ("void f() {\n <<<1, 2>>>(x); }", "without a kernel"),
        ("void f() {\n k<<<1, 2; }", "without >>>("),
    ],
)
def test_what_cannot_be_rewritten_is_noted_with_its_line(text: str, words: str) -> None:
    (note,) = rewrite(text).notes
    assert words in note.message
    assert note.line == 2


def test_kernels_as_data() -> None:
    source = "template <int N> __global__ void __launch_bounds__(64) k(int);\n__global__ void q() {}\n"
    assert kernel_names(source) == {"k", "q"}
    calls = "auto a = (void*)q; auto b = (const void*)&k<1, 2>; auto c = reinterpret_cast<const void*>(&n::q);"
    text = rewrite(source + "void f() { " + calls + " g((void*)(q)); (void*)other; (void)q; }").text
    text = re.sub(" +", " ", text)
    assert 'auto a = hip_cpu::erased("q", q);' in text
    assert 'auto b = hip_cpu::erased("k", &k<1, 2>);' in text
    assert 'auto c = hip_cpu::erased("q", (&n::q));' in text
    assert 'g(hip_cpu::erased("q", (q)));' in text
    assert "(void*)other; (void)q;" in text


def test_noinline_is_left_alone_where_the_standard_library_writes_it() -> None:
    assert rewrite("__device__ __noinline__ int f();").text == "__device__ HIP_CPU_NOINLINE int f();"
    plain = "__attribute__((__noinline__)) int f(); // void"
    assert rewrite(plain).text == plain


def test_columns_lead_back_to_the_author_s_line() -> None:
    text = "void f() { k<<<1, 2>>>(wrong); }"
    result = rewrite(text)
    assert result.column(1, result.text.index("wrong") + 1) == text.index("wrong") + 1
    assert result.column(1, 1) == 1
    assert result.column(7, 5) == 5


TEXT = """k<<<1, 2>>>(x); ~ __shared__ float a[2]; ~ __shared__ int a[2],\n b; ~ "<<<" ~ // __shared__\n ~ { ~ } ~ ( ~ )
~ #define A k<<<1, 2>>>()\n ~ ' ~ " ~ R"( ~ /* ~ */ ~ extern __shared__ int d[]; ~ (void*)k ~ __global__ void k(); ~ <
~ > ~ \\\n ~ <<< ~ >>> ~ namespace n ~ __noinline__ ~ \r\n ~ int a; ~ struct S ~ reinterpret_cast<void*>(k) ~ :: ~ ;"""
PIECES = st.sampled_from([piece.strip(" ") for piece in TEXT.split("~")])


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=25))
def test_lines_never_move_and_nothing_raises(pieces: list[str]) -> None:
    text = " ".join(pieces)
    result = rewrite(text)
    assert result.text.count("\n") == text.count("\n")
    assert "".join(t.text for t in tokens_of(text)) == text


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200))
def test_text_without_hip_is_unchanged(text: str) -> None:
    if not re.search(r"<<<|__shared__|__noinline__|__global__", text):
        assert rewrite(text).text == text
