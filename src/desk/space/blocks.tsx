/** Inserts the HTML of rendered blocks. It comes from the service's renderer, which writes no script and no style. */
import { useEffect, useRef } from 'preact/hooks'
import { INTERFACE } from '../../site/look/interface-icons.js'

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
