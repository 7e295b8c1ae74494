// The script of published sites. Everything can be read and reached without it.
const root = document.documentElement

function choose(scheme: string): void {
  if (scheme === 'system') delete root.dataset.scheme
  else root.dataset.scheme = scheme
  try {
    if (scheme === 'system') localStorage.removeItem('scheme')
    else localStorage.setItem('scheme', scheme)
  } catch {
    // The choice lasts until the next page.
  }
  for (const button of document.querySelectorAll<HTMLElement>('[data-theme-set]'))
    button.ariaPressed = String(button.dataset.themeSet === scheme)
}

document.addEventListener('click', (event) => {
  const theme = (event.target as Element).closest<HTMLElement>('[data-theme-set]')
  if (theme?.dataset.themeSet) choose(theme.dataset.themeSet)
})
export {}
