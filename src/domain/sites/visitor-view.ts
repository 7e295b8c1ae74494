/** The structure of a site as a visitor sees it. */
import { gateFor, type VisitorContext, type VisitorPage } from '../../access/index.js'
import { isGroup, type ShownGroup, type ShownSection, type ShownSiteSpace, type SiteView } from './view.js'

type Conditional = { condition?: string; draft?: boolean; hidden?: boolean }

/** A part of a site, as the gate asks about it. `hidden` of an entry says that its space is deleted. */
export const partOf = ({ condition, draft, hidden }: Conditional, within?: VisitorPage): VisitorPage => ({
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
  const sectionIn = (section: ShownSection, within?: VisitorPage): ShownSection[] => {
    const siteSpaces = entriesIn(section.siteSpaces, partOf(section.entry, within))
    return siteSpaces.length > 0 ? [{ ...section, siteSpaces }] : []
  }
  const groupIn = (group: ShownGroup): ShownGroup[] => {
    const sections = group.sections.flatMap((section) => sectionIn(section, partOf(group.entry)))
    return sections.length > 0 ? [{ ...group, sections }] : []
  }
  return { ...view, siteSpaces: entriesIn(view.siteSpaces), items: view.items.flatMap((item): SiteView['items'] => (isGroup(item) ? groupIn(item) : sectionIn(item))) }
}
