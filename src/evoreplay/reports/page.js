"use strict";
// Sorts a table by a column: numbers by their value, words by the alphabet, what is missing last.
document.querySelectorAll("table.data").forEach((table) => {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, place) => {
    head.querySelector("button").addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const numeric = head.hasAttribute("data-numeric");
      const key = (row) => {
        const cell = row.cells[place];
        return numeric ? parseFloat(cell.dataset.value) : cell.textContent;
      };
      const compare = (one, other) => {
        const a = key(one), b = key(other);
        if (numeric && (isNaN(a) || isNaN(b))) return isNaN(a) - isNaN(b);
        const order = numeric ? a - b : a.localeCompare(b, "en", { numeric: true });
        return down ? -order : order;
      };
      [...body.rows].sort(compare).forEach((row) => body.append(row));
    });
  });
});
// On paper everything is open, because nothing can be clicked.
addEventListener("beforeprint", () => {
  document.querySelectorAll("details").forEach((part) => { part.open = true; });
});
