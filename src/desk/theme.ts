/** Sets the color scheme before the first paint. This script blocks the page, so it does nothing else. */
const scheme = localStorage.getItem('bindery-theme')
if (scheme === 'light' || scheme === 'dark') document.documentElement.dataset.theme = scheme
