"use strict";
// While something is under way, asks for that part of the page again. Without this script one loads the page again.
for (const place of document.querySelectorAll("[data-again]")) {
  const look = async () => {
    if (!place.querySelector("[data-busy]")) return;
    const answer = await fetch(place.dataset.again).catch(() => null);
    lost(!answer || !answer.ok);
    if (!answer || !answer.ok) return;
    place.innerHTML = await answer.text();
    setTimeout(look, 1500);
  };
  setTimeout(look, 1000);
}
