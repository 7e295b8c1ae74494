/** Converts a template to changes of a space's content. */
import { rewriteReferences } from '../edit/rewrite-references.js'
import { nameOf } from '../paths.js'
import { groupSlug } from '../slug.js'
import { decodeText } from '../text.js'
import type { DocumentEntry, PageEntry } from '../types.js'
import type { ContentChange } from '../../model/content-changes.js'
import type { Template } from './template.js'
import { defined, required } from '../../kernel/defined.js'

/** The destination of a template. */
interface TemplatePlace {
  /** For a space without content: its only page, which becomes the first page of the template. */
  instead?: string
  /** For a space with content: the group for pages that are in no group of the template. */
  group?: string
  /** The slugs that are taken at the top level. */
  taken: ReadonlySet<string>
  /** The target of a link to a file of the space, by the path of the template file that it replaces. */
  given: ReadonlyMap<string, string>
}

/** Maximum number of files in one change. */
const FILES_AT_ONCE = 20

/**
 * Returns the changes that add a template: its files, groups and pages in order, with batch refs that its links use.
 * They overwrite nothing except the text of the page `instead`.
 */
export function templateChanges(template: Template, { instead, group, taken, given }: TemplatePlace): ContentChange[] {
  const { structure, files } = template
  const names = new Map([...structure.byId.values()].map((page, n) => [page.id, `template-page-${n}`]))
  const assets = structure.assets.filter(({ gitPath }) => !given.has(gitPath))
  const fileNames = new Map(assets.map(({ gitPath }, n) => [gitPath, `template-file-${n}`]))
  const first = structure.pages[0]
  if (first && instead !== undefined) names.set(first.id, instead)
  const targetOf = (path: string): string => given.get(path) ?? `/files/${fileNames.get(path)}`
  const markdown = ({ gitPath }: DocumentEntry): string =>
    rewriteReferences(
      decodeText(required(files.get(gitPath))),
      (template.links.get(gitPath) ?? []).map(({ start, end, to, suffix }) => {
        const page = 'page' in to ? structure.byGitPath.get(to.page) : undefined
        return {
          start,
          end,
          target: (page ? `/pages/${names.get(page.id)}` : targetOf((to as { file: string }).file)) + suffix,
        }
      }),
    )
  const slugs = new Set(taken)
  const insertGroup = (title: string, ref: string): ContentChange => ({
    operation: 'insert_group',
    title,
    ref,
    ...freeSlug(title, slugs),
  })
  const insert = (entry: PageEntry, into: string | undefined): ContentChange[] => {
    const place = { title: entry.title, ...defined({ into }) }
    const ref = required(names.get(entry.id))
    if (entry.type === 'group')
      return [insertGroup(entry.title, ref), ...entry.pages.flatMap((page) => insert(page, ref))]
    const below = entry.pages.flatMap((page) => insert(page, ref))
    if (entry.type === 'link') return [{ operation: 'insert_link', ...place, href: entry.href }]
    const document = { markdown: markdown(entry as DocumentEntry) }
    if (entry === first && instead !== undefined)
      return [{ operation: 'update_page', page: instead, title: entry.title, document }, ...below]
    return [{ operation: 'insert_page', ...place, document, ref }, ...below]
  }
  const uploads = assets.map(({ gitPath }) => ({
    name: nameOf(gitPath),
    base64: Buffer.from(required(files.get(gitPath))).toString('base64'),
    ref: required(fileNames.get(gitPath)),
  }))
  const changes: ContentChange[] = []
  for (let from = 0; from < uploads.length; from += FILES_AT_ONCE)
    changes.push({ operation: 'insert_files', files: uploads.slice(from, from + FILES_AT_ONCE) })
  if (group !== undefined) changes.push(insertGroup(group, GROUP_REF))
  return [
    ...changes,
    ...structure.pages.flatMap((page) =>
      insert(page, group === undefined || page.type === 'group' ? undefined : GROUP_REF),
    ),
  ]
}

const GROUP_REF = 'template-group'

/** Returns a slug for a group if the slug from its title is taken. Otherwise its slug would depend on its siblings. */
function freeSlug(title: string, taken: Set<string>): { slug?: string } {
  const own = groupSlug(title)
  let slug = own
  for (let n = 2; taken.has(slug); n++) slug = `${own}-${n}`
  taken.add(slug)
  return slug === own ? {} : { slug }
}
