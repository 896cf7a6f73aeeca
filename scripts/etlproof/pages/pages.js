/* SPDX-License-Identifier: Apache-2.0 */
(function () {
  document.querySelectorAll(".copy").forEach(function (copy) {
    copy.hidden = false;
    copyOnClick(copy, () => copy.parentElement.querySelector("pre").textContent);
  });
  /* The marked bytes are what the others are shown for. */
  document.querySelectorAll(".bytes-box").forEach(function (box) {
    const marked = box.querySelector(".marked");
    if (marked) box.scrollTop = marked.offsetTop - box.offsetTop - box.clientHeight / 2;
  });
  /* Paper cannot be unfolded. */
  let closed = [];
  addEventListener("beforeprint", function () {
    closed = Array.from(document.querySelectorAll("details:not([open])"));
    closed.forEach((details) => { details.open = true; });
  });
  addEventListener("afterprint", () => closed.forEach((details) => { details.open = false; }));
  document.documentElement.dataset.ready = "true";
})();
