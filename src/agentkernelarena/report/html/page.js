"use strict";
for (const section of document.querySelectorAll("[data-tasks]")) {
  const list = section.querySelector(".tasks");
  const items = [...list.children];
  const search = section.querySelector("input");
  const order = section.querySelector("select");
  const shown = section.querySelector("output");
  const apply = () => {
    const word = search.value.trim().toLowerCase();
    const key = order.value;
    const sorted = key === "plan" ? items : [...items].sort((a, b) => Number(a.dataset[key]) - Number(b.dataset[key]));
    let count = 0;
    for (const item of sorted) {
      item.hidden = !item.dataset.text.includes(word);
      count += item.hidden ? 0 : 1;
      list.append(item);
    }
    shown.textContent = `${count} of ${items.length}`;
  };
  search.addEventListener("input", apply);
  order.addEventListener("change", apply);
  section.querySelector(".controls").hidden = false;
  apply();
}
