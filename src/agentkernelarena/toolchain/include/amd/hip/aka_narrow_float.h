// Included once for every 16-bit floating type; no include guard. The includer defines
//   AKA_TYPE, AKA_TYPE2      the scalar and the pair            AKA_RAW, AKA_RAW2   their plain-bits structs
//   AKA_NATIVE, AKA_NATIVE2  the compiler's own type and vector  AKA_MAGNITUDE_INF  the bits of infinity
// and gets the types, their operators, and those functions of HIP whose names do not contain the type's.

struct AKA_RAW {
  union {
    AKA_NATIVE data;
    unsigned short x;
  };
};

struct AKA_RAW2 {
  union {
    AKA_NATIVE2 data;
    struct {
      unsigned short x, y;
    };
  };
};

struct AKA_TYPE {
  union {
    AKA_NATIVE data;
    unsigned short __x;
  };

  AKA_TYPE() = default;
  __host__ __device__ AKA_TYPE(const AKA_RAW& raw) : data(raw.data) {}
  __host__ __device__ AKA_TYPE(AKA_NATIVE value) : data(value) {}
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  __host__ __device__ AKA_TYPE(T value) : data(static_cast<AKA_NATIVE>(value)) {}

  __host__ __device__ operator AKA_NATIVE() const { return data; }
  template <typename T, std::enable_if_t<std::is_arithmetic_v<T>, int> = 0>
  __host__ __device__ operator T() const {
    return static_cast<T>(data);
  }
  __host__ __device__ operator AKA_RAW() const {
    AKA_RAW raw;
    raw.data = data;
    return raw;
  }

  __host__ __device__ AKA_TYPE& operator+=(const AKA_TYPE& o) { return data += o.data, *this; }
  __host__ __device__ AKA_TYPE& operator-=(const AKA_TYPE& o) { return data -= o.data, *this; }
  __host__ __device__ AKA_TYPE& operator*=(const AKA_TYPE& o) { return data *= o.data, *this; }
  __host__ __device__ AKA_TYPE& operator/=(const AKA_TYPE& o) { return data /= o.data, *this; }
  __host__ __device__ AKA_TYPE& operator++() { return data += AKA_NATIVE(1), *this; }
  __host__ __device__ AKA_TYPE& operator--() { return data -= AKA_NATIVE(1), *this; }
  __host__ __device__ AKA_TYPE operator+() const { return *this; }
  __host__ __device__ AKA_TYPE operator-() const { return AKA_TYPE(-data); }
};

struct AKA_TYPE2 {
  union {
    AKA_NATIVE2 data;
    struct {
      AKA_TYPE x, y;
    };
  };

  AKA_TYPE2() = default;
  __host__ __device__ AKA_TYPE2(AKA_NATIVE2 value) : data(value) {}
  __host__ __device__ AKA_TYPE2(const AKA_TYPE& low, const AKA_TYPE& high) : data{low.data, high.data} {}
  __host__ __device__ AKA_TYPE2(const AKA_RAW2& raw) : data(raw.data) {}
  __host__ __device__ operator AKA_RAW2() const {
    AKA_RAW2 raw;
    raw.data = data;
    return raw;
  }

  __host__ __device__ AKA_TYPE2& operator+=(const AKA_TYPE2& o) { return data += o.data, *this; }
  __host__ __device__ AKA_TYPE2& operator-=(const AKA_TYPE2& o) { return data -= o.data, *this; }
  __host__ __device__ AKA_TYPE2& operator*=(const AKA_TYPE2& o) { return data *= o.data, *this; }
  __host__ __device__ AKA_TYPE2& operator/=(const AKA_TYPE2& o) { return data /= o.data, *this; }
  __host__ __device__ AKA_TYPE2 operator+() const { return *this; }
  __host__ __device__ AKA_TYPE2 operator-() const { return AKA_TYPE2(-data); }
};

#define AKA_OPERATOR(type, op) \
  AKA_HD type operator op(const type& a, const type& b) { return type(a.data op b.data); }
AKA_OPERATOR(AKA_TYPE, +)
AKA_OPERATOR(AKA_TYPE, -)
AKA_OPERATOR(AKA_TYPE, *)
AKA_OPERATOR(AKA_TYPE, /)
AKA_OPERATOR(AKA_TYPE2, +)
AKA_OPERATOR(AKA_TYPE2, -)
AKA_OPERATOR(AKA_TYPE2, *)
AKA_OPERATOR(AKA_TYPE2, /)
#undef AKA_OPERATOR

#define AKA_COMPARISON(op, name) \
  AKA_HD bool operator op(const AKA_TYPE& a, const AKA_TYPE& b) { return a.data op b.data; } \
  AKA_HD bool __h##name(AKA_TYPE a, AKA_TYPE b) { return a.data op b.data; } \
  AKA_HD bool __h##name##u(AKA_TYPE a, AKA_TYPE b) { return a.data op b.data || a.data != a.data || b.data != b.data; } \
  AKA_HD AKA_TYPE2 __h##name##2(AKA_TYPE2 a, AKA_TYPE2 b) { return AKA_TYPE2(AKA_TYPE(a.x.data op b.x.data), AKA_TYPE(a.y.data op b.y.data)); } \
  AKA_HD AKA_TYPE2 __h##name##u2(AKA_TYPE2 a, AKA_TYPE2 b) { return AKA_TYPE2(AKA_TYPE(__h##name##u(a.x, b.x)), AKA_TYPE(__h##name##u(a.y, b.y))); } \
  AKA_HD bool __hb##name##2(AKA_TYPE2 a, AKA_TYPE2 b) { return a.x.data op b.x.data && a.y.data op b.y.data; } \
  AKA_HD bool __hb##name##u2(AKA_TYPE2 a, AKA_TYPE2 b) { return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y); }
AKA_COMPARISON(==, eq)
AKA_COMPARISON(!=, ne)
AKA_COMPARISON(<, lt)
AKA_COMPARISON(<=, le)
AKA_COMPARISON(>, gt)
AKA_COMPARISON(>=, ge)
#undef AKA_COMPARISON

AKA_HD float __low2float(AKA_TYPE2 x) { return float(x.x.data); }
AKA_HD float __high2float(AKA_TYPE2 x) { return float(x.y.data); }
AKA_HD AKA_TYPE2 __lowhigh2highlow(AKA_TYPE2 x) { return AKA_TYPE2(x.y, x.x); }

// Arithmetic
AKA_HD AKA_NATIVE __aka_unit(AKA_NATIVE x) { return x > AKA_NATIVE(1) ? AKA_NATIVE(1) : x > AKA_NATIVE(0) ? x : AKA_NATIVE(0); }
#define AKA_ARITHMETIC(name, op) \
  AKA_HD AKA_TYPE __h##name(AKA_TYPE a, AKA_TYPE b) { return AKA_TYPE(a.data op b.data); } \
  AKA_HD AKA_TYPE __h##name##_rn(AKA_TYPE a, AKA_TYPE b) { return AKA_TYPE(a.data op b.data); } \
  AKA_HD AKA_TYPE __h##name##_sat(AKA_TYPE a, AKA_TYPE b) { return AKA_TYPE(__aka_unit(a.data op b.data)); } \
  AKA_HD AKA_TYPE2 __h##name##2(AKA_TYPE2 a, AKA_TYPE2 b) { return AKA_TYPE2(a.data op b.data); } \
  AKA_HD AKA_TYPE2 __h##name##2_rn(AKA_TYPE2 a, AKA_TYPE2 b) { return AKA_TYPE2(a.data op b.data); } \
  AKA_HD AKA_TYPE2 __h##name##2_sat(AKA_TYPE2 a, AKA_TYPE2 b) { return AKA_TYPE2(__h##name##_sat(a.x, b.x), __h##name##_sat(a.y, b.y)); }
AKA_ARITHMETIC(add, +)
AKA_ARITHMETIC(sub, -)
AKA_ARITHMETIC(mul, *)
#undef AKA_ARITHMETIC
AKA_HD AKA_TYPE __hdiv(AKA_TYPE a, AKA_TYPE b) { return AKA_TYPE(a.data / b.data); }
AKA_HD AKA_TYPE2 __h2div(AKA_TYPE2 a, AKA_TYPE2 b) { return AKA_TYPE2(a.data / b.data); }
AKA_HD AKA_TYPE __hneg(AKA_TYPE a) { return -a; }
AKA_HD AKA_TYPE2 __hneg2(AKA_TYPE2 a) { return -a; }
AKA_HD AKA_TYPE __habs(AKA_TYPE a) { return __builtin_bit_cast(AKA_TYPE, static_cast<unsigned short>(a.__x & 0x7fff)); }
AKA_HD AKA_TYPE2 __habs2(AKA_TYPE2 a) { return AKA_TYPE2(__habs(a.x), __habs(a.y)); }
AKA_D AKA_TYPE __hfma(AKA_TYPE a, AKA_TYPE b, AKA_TYPE c) { return AKA_TYPE(__builtin_elementwise_fma(a.data, b.data, c.data)); }
AKA_D AKA_TYPE __hfma_sat(AKA_TYPE a, AKA_TYPE b, AKA_TYPE c) { return AKA_TYPE(__aka_unit(__hfma(a, b, c).data)); }
AKA_D AKA_TYPE2 __hfma2(AKA_TYPE2 a, AKA_TYPE2 b, AKA_TYPE2 c) { return AKA_TYPE2(__builtin_elementwise_fma(a.data, b.data, c.data)); }
AKA_D AKA_TYPE2 __hfma2_sat(AKA_TYPE2 a, AKA_TYPE2 b, AKA_TYPE2 c) { return AKA_TYPE2(__hfma_sat(a.x, b.x, c.x), __hfma_sat(a.y, b.y, c.y)); }
AKA_HD bool __hisnan(AKA_TYPE a) { return a.data != a.data; }
AKA_HD int __hisinf(AKA_TYPE a) { return (a.__x & 0x7fff) != AKA_MAGNITUDE_INF ? 0 : a.__x >> 15 ? -1 : 1; }
AKA_HD AKA_TYPE2 __hisnan2(AKA_TYPE2 a) { return AKA_TYPE2(AKA_TYPE(__hisnan(a.x)), AKA_TYPE(__hisnan(a.y))); }
AKA_HD AKA_TYPE __hmax(AKA_TYPE a, AKA_TYPE b) { return __hisnan(a) ? b : __hisnan(b) || a > b ? a : b; }
AKA_HD AKA_TYPE __hmin(AKA_TYPE a, AKA_TYPE b) { return __hisnan(a) ? b : __hisnan(b) || a < b ? a : b; }
AKA_HD AKA_TYPE __hmax_nan(AKA_TYPE a, AKA_TYPE b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmax(a, b); }
AKA_HD AKA_TYPE __hmin_nan(AKA_TYPE a, AKA_TYPE b) { return __hisnan(a) ? a : __hisnan(b) ? b : __hmin(a, b); }
AKA_HD AKA_TYPE2 __hmax2(AKA_TYPE2 a, AKA_TYPE2 b) { return AKA_TYPE2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
AKA_HD AKA_TYPE2 __hmin2(AKA_TYPE2 a, AKA_TYPE2 b) { return AKA_TYPE2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }

// Moving values between lanes and through caches
AKA_D AKA_TYPE __ldg(const AKA_TYPE* p) { return *p; }
AKA_D AKA_TYPE2 __ldg(const AKA_TYPE2* p) { return *p; }

#define AKA_SHUFFLE(name, second) \
  AKA_D AKA_TYPE name(AKA_TYPE v, second lane, int width = warpSize) { \
    return __builtin_bit_cast(AKA_TYPE, static_cast<unsigned short>(name(static_cast<unsigned>(v.__x), lane, width))); \
  } \
  AKA_D AKA_TYPE2 name(AKA_TYPE2 v, second lane, int width = warpSize) { \
    return __builtin_bit_cast(AKA_TYPE2, name(__builtin_bit_cast(unsigned, v), lane, width)); \
  }
AKA_SHUFFLE(__shfl, int)
AKA_SHUFFLE(__shfl_up, unsigned)
AKA_SHUFFLE(__shfl_down, unsigned)
AKA_SHUFFLE(__shfl_xor, int)
#undef AKA_SHUFFLE

AKA_D AKA_TYPE2 atomicAdd(AKA_TYPE2* address, AKA_TYPE2 value) {
  unsigned* word = reinterpret_cast<unsigned*>(address);
  unsigned seen = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  while (!__hip_atomic_compare_exchange_strong(
      word, &seen, __builtin_bit_cast(unsigned, __builtin_bit_cast(AKA_TYPE2, seen) + value), __ATOMIC_RELAXED,
      __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)) {
  }
  return __builtin_bit_cast(AKA_TYPE2, seen);
}
AKA_D AKA_TYPE2 unsafeAtomicAdd(AKA_TYPE2* address, AKA_TYPE2 value) { return atomicAdd(address, value); }
