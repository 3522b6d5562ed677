"use strict";
(() => {
  // The left arrow goes one step back; a digit takes the step of this place in the lists.
  addEventListener("keydown", (event) => {
    const plain = !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey);
    if (!plain || event.target.closest("input, textarea, .scroll")) return;
    const options = document.querySelectorAll(".options tbody a");
    const link = event.key === "ArrowLeft" ? document.querySelector('a[rel="prev"]')
      : /^[1-9]$/.test(event.key) ? options[Number(event.key) - 1] : null;
    if (link) { event.preventDefault(); link.click(); }
  });
  document.querySelectorAll(".options tbody a").forEach((link, number) => { if (number < 9) link.title = `Key ${number + 1}`; });
})();
