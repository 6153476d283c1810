"use strict";
// Says that the dashboard has ended, or does not know this window any more; the scripts that ask it tell how it went.
const lost = (isLost) => {
  document.getElementById("lost").hidden = !isLost;
};
