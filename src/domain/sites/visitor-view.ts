/** Computes a visitor's view of a site's structure. */
import { gateFor, type VisitorContext, type VisitorPage } from '../../access/index.js'
import { isGroup, isSection, type ShownItem, type ShownSiteSpace, type SiteView } from './view.js'
import { defined } from '../../kernel/defined.js'

/** The fields of a structure entry that decide who sees it. */
interface Gated {
  id: string
  condition?: string
  draft?: boolean
  hidden?: boolean
}

/** Describes a part of a site for the visitor gate. `hidden` means that the space of the entry is deleted. */
const partOf = ({ condition, draft, hidden }: Gated, within?: VisitorPage): VisitorPage => ({
  ...(within ? { within } : {}),
  ...defined({ condition }),
  ...(draft ? { draft } : {}),
  ...(hidden ? { gone: true } : {}),
})

/** Returns a visitor's view of a site, without items that become empty. */
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
