// Sets the chosen color scheme before the first paint. A small script of its own, because it must not be deferred.
try {
  const scheme = localStorage.getItem('scheme')
  const root = document.documentElement
  if ((scheme === 'light' || scheme === 'dark') && root.dataset.toggle !== 'off') root.dataset.scheme = scheme
} catch {
  // The browser forbids storage. The system decides.
}
