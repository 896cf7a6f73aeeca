/* SPDX-License-Identifier: Apache-2.0 */
(function () {
  document.querySelectorAll(".copy").forEach(function (copy) {
    copy.hidden = false;
    copyOnClick(copy, () => copy.parentElement.querySelector("pre").textContent);
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
