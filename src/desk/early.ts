/**
 * Sets the color scheme and requests the data of the first screen, while the app's code is still being loaded. This script
 * blocks the first paint, so it does nothing else and imports nothing.
 */
const scheme = localStorage.getItem('bindery-theme')
if (scheme === 'light' || scheme === 'dark') document.documentElement.dataset.theme = scheme

const early = new Map<string, Promise<Response | null>>()
for (const path of document.documentElement.dataset.early?.split(' ') ?? [])
  early.set(
    path,
    fetch(path).catch(() => null),
  )
Object.assign(globalThis, { binderyEarly: early })
