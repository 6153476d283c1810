"use strict";
// One key for one answer. Without this script the buttons send the form as any form.
(() => {
  const asked = document.getElementById("asked");
  let isSending = false;

  async function send(button) {
    if (isSending) return;
    isSending = true;
    const form = button.form;
    const body = new URLSearchParams(new FormData(form));
    body.set("answer", button.value);
    try {
      const answer = await fetch(form.action, { method: "POST", body, headers: { "X-Part": "1" } }).catch(() => null);
      lost(!answer);
      if (!answer) return;
      asked.innerHTML = await answer.text();
      if (!answer.ok) location.reload();
      window.scrollTo(0, 0);
      const text = asked.querySelector(".judged");
      if (text) text.focus({ preventScroll: true });
    } finally {
      isSending = false;
    }
  }

  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.target.closest("input")) return;
    const button = asked.querySelector(`button[value="${CSS.escape(event.key.toLowerCase())}"]`);
    if (button) {
      event.preventDefault();
      send(button);
    }
  });
  asked.addEventListener("click", (event) => {
    const button = event.target.closest("button[name=answer]");
    if (button) {
      event.preventDefault();
      send(button);
    }
  });
})();
