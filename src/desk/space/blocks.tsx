/** Inserts the HTML of rendered blocks. It comes from the service's renderer, which writes no script and no style. */
import { useEffect, useRef } from 'preact/hooks'
import { INTERFACE } from '../../site/look/interface-icons.js'

/** Loads the rules for rendered texts, unless the page has loaded them. Without them, texts are readable. */
function loadStyle(): Promise<unknown> {
  const href = document.documentElement.dataset.texts ?? ''
  if (href === '' || document.querySelector(`link[href="${href}"]`)) return Promise.resolve()
  const link = Object.assign(document.createElement('link'), { rel: 'stylesheet', href })
  return new Promise((done) => {
    link.onload = link.onerror = done
    document.head.append(link)
  })
}
await loadStyle()

/** The HTML of a block. The rules of the theme of sites apply to it. */
export const BlockHtml = ({ html }: { html: string }) => (
  <div class="rendered" dangerouslySetInnerHTML={{ __html: html }} />
)

/** The icons that rendered blocks refer to. A screen with rendered blocks has them once. */
export function BlockIcons() {
  const holder = useRef<SVGSVGElement>(null)
  useEffect(() => {
    if (holder.current)
      holder.current.innerHTML = Object.entries(INTERFACE)
        .map(([name, shape]) => `<symbol id="i-${name}" viewBox="0 0 20 20">${shape}</symbol>`)
        .join('')
  }, [])
  return <svg class="sprite" aria-hidden="true" ref={holder} />
}
