/* SPDX-License-Identifier: Apache-2.0 */
"use strict";
/* A button that copies what `textOf` gives when it is pressed, and says so. */
function copyOnClick(copy, textOf) {
  function copied() {
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  }
  /* For pages that have no clipboard, as those opened from a file in some browsers. */
  function copyOld(text) {
    const area = document.createElement("textarea");
    area.value = text;
    document.body.append(area);
    area.select();
    if (document.execCommand("copy")) copied();
    area.remove();
  }
  copy.addEventListener("click", function () {
    const text = textOf();
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(copied, () => copyOld(text));
    else copyOld(text);
  });
}
