/** Migrates groups of sections of earlier releases, which contained only sections, under another name. */
import type { Migration } from '../../store/index.js'

type Json = Record<string, unknown>
interface EarlierStructure extends Json {
  items?: Json[]
}

function withChildren(item: Json): Json {
  const { sections, ...group } = item
  return item['type'] === 'site-section-group' && Array.isArray(sections) ? { ...group, children: sections } : item
}

/** Renames the members of groups. */
export const migrateSiteGroups: Migration['run'] = (view) => {
  for (const site of view.documents('sites')) {
    const structure = (site['structure'] ?? {}) as EarlierStructure
    if (structure.items?.some((item) => 'sections' in item))
      view.put('sites', { ...site, structure: { ...structure, items: structure.items.map(withChildren) } })
  }
}
