// Sets the chosen color scheme before the first paint. A separate small script, because it must not be deferred.
try {
  const scheme = localStorage.getItem('scheme')
  const root = document.documentElement
  if (scheme !== null && root.dataset.toggle !== 'off') {
    if (scheme === 'light' || scheme === 'dark') root.dataset.scheme = scheme
    else delete root.dataset.scheme
  }
} catch {
  // The browser forbids storage, so the system's scheme applies.
}
