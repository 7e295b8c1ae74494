/** Pictures open in a dialog, and embedded content loads after a click. */
import { icon, make, onClick, words } from './page.js'

function enlarge(link: HTMLAnchorElement): void {
  const pictures = [...link.querySelectorAll('img')]
  const shown = pictures.find((picture) => picture.checkVisibility?.() ?? picture.offsetParent !== null) ?? pictures[0]
  if (!shown) return
  const alt = shown.alt
  const full = shown === pictures[0] ? link.href : shown.src
  const close = make('button', { class: 'btn-i', 'aria-label': words.close ?? '' }, icon('x'))
  const dialog = make('dialog', { class: 'picture', 'aria-label': alt || (words.close ?? '') }, close)
  dialog.append(make('img', { src: full, alt }))
  dialog.addEventListener('click', () => dialog.close())
  dialog.addEventListener('close', () => dialog.remove())
  document.body.append(dialog)
  dialog.showModal()
}

function loadFrame(poster: HTMLAnchorElement): void {
  const frame = make('iframe', {
    src: poster.dataset.frame ?? '',
    title: poster.querySelector('b')?.textContent ?? '',
    allow: 'fullscreen; picture-in-picture; encrypted-media; clipboard-write',
    referrerpolicy: 'strict-origin-when-cross-origin',
    sandbox:
      'allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox allow-forms allow-presentation',
  })
  poster.replaceWith(frame)
  frame.focus()
}

export function startMedia(): void {
  onClick<HTMLAnchorElement>('a.zoom', (link, event) => {
    event.preventDefault()
    enlarge(link)
  })
  onClick<HTMLAnchorElement>('a[data-frame]', (poster, event) => {
    event.preventDefault()
    loadFrame(poster)
  })
}
