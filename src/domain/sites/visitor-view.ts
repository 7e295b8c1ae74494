/** The structure of a site as a visitor sees it. */
import { gateFor, type VisitorContext, type VisitorPage } from '../../access/index.js'
import { isGroup, isSection, type ShownItem, type ShownSiteSpace, type SiteView } from './view.js'

/** What an entry of a structure says of who sees it. */
interface Gated {
  id: string
  condition?: string
  draft?: boolean
  hidden?: boolean
}

/** A part of a site, as the gate asks about it. `hidden` of an entry says that its space is deleted. */
const partOf = ({ condition, draft, hidden }: Gated, within?: VisitorPage): VisitorPage => ({
  ...(within ? { within } : {}),
  ...(condition === undefined ? {} : { condition }),
  ...(draft ? { draft } : {}),
  ...(hidden ? { gone: true } : {}),
})

/** What a visitor sees of a site: without what is empty then. */
export function visitorView(context: VisitorContext, view: SiteView): SiteView {
  const sees = gateFor(context)
  const entriesIn = (entries: readonly ShownSiteSpace[], within?: VisitorPage): ShownSiteSpace[] =>
    entries.filter(({ entry }) => sees(partOf(entry, within), 'list'))
  const itemIn = (item: ShownItem, within?: VisitorPage): ShownItem[] => {
    const part = partOf(item.entry, within)
    if (!sees(part, 'list')) return []
    if (isGroup(item)) {
      const children = item.children.flatMap((child) => itemIn(child, part))
      return children.length > 0 ? [{ ...item, children }] : []
    }
    if (!isSection(item)) return [item]
    const siteSpaces = entriesIn(item.siteSpaces, part)
    return siteSpaces.length > 0 ? [{ ...item, siteSpaces }] : []
  }
  return { ...view, siteSpaces: entriesIn(view.siteSpaces), items: view.items.flatMap((item) => itemIn(item)) }
}
