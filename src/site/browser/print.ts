/** Shows all content on paper: closed details and hidden tabs are open while the page prints. */

export function startPrint(): void {
  let closed: HTMLDetailsElement[] = []
  let hidden: Element[] = []
  addEventListener('beforeprint', () => {
    closed = [...document.querySelectorAll<HTMLDetailsElement>('main details:not([open])')]
    hidden = [...document.querySelectorAll('.tab[hidden]')]
    // Details with the same name close each other.
    for (const details of closed) {
      if (details.name) details.dataset.name = details.name
      details.removeAttribute('name')
      details.open = true
    }
    for (const panel of hidden) panel.removeAttribute('hidden')
  })
  addEventListener('afterprint', () => {
    for (const details of closed) {
      details.open = false
      if (details.dataset.name) details.name = details.dataset.name
      delete details.dataset.name
    }
    for (const panel of hidden) panel.setAttribute('hidden', 'until-found')
  })
}
