/* SPDX-License-Identifier: Apache-2.0 */
"use strict";
/* Makes `copy` a button that copies the text of textOf() and confirms it. */
function copyOnClick(copy, textOf) {
  function copied() {
    copy.textContent = "Copied";
    setTimeout(() => { copy.textContent = "Copy"; }, 1500);
  }
  /* For pages without a clipboard, such as those opened from a file in some browsers. */
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
