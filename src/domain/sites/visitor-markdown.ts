/** A page of a site as markdown, with exactly the content that a visitor sees. */
import { rewriteReferences } from '../../content/edit/rewrite-references.js'
import { resolveReference } from '../../content/resolve-reference.js'
import { unlessTooCostly } from '../../content/work/text-work.js'
import type { App } from '../context/app.js'
import { anchorsOfLinks } from '../revisions/link-graph.js'
import { isConditional, KnownFiles, NOT_SHOWN, pathOfFile, type PageText } from './visitor-page.js'
import { pathOfPage, type ReadPage } from './visitor-paths.js'
import type { Visitor } from './visitor.js'

/** Replaces the target of a link that leads to nothing that the visitor may see. */
const NOWHERE = '#'

/**
 * Returns the text of a page as markdown: without blocks and links that the visitor may not see, and with addresses that
 * work outside of the repository.
 * @param address the address of the site, without a trailing slash
 */
export async function markdownFor(
  app: App,
  visitor: Visitor,
  page: ReadPage,
  text: PageText,
  address: string,
): Promise<string> {
  const body = await withAddresses(app, page, { ...text, markdown: await visible(app, visitor, page, text) }, address)
  const [, heading = `# ${page.entry.title}`, rest = body] = /^\s*(#[ \t][^\n]*)\n?([\s\S]*)$/.exec(body) ?? []
  const { description } = text.attributes
  return `${[heading.trimEnd(), ...(description === undefined ? [] : [description.trim()]), rest.trim()]
    .filter((part) => part !== '')
    .join('\n\n')}\n`
}

/** Returns the blocks whose conditions hold for the visitor, without comments, which pages do not show. */
async function visible(app: App, visitor: Visitor, page: ReadPage, { markdown }: PageText): Promise<string> {
  const owner = page.pages.revision.space.doc.id
  const kept = isConditional(markdown)
    ? await app.texts.bytes(owner, 'visible', [markdown, JSON.stringify(visitor.claims)]).then(
        (bytes) => Buffer.from(bytes).toString(),
        () => NOT_SHOWN,
      )
    : markdown
  return withoutComments(app, owner, kept)
}

async function withoutComments(app: App, owner: string, markdown: string): Promise<string> {
  if (!markdown.includes('<!--')) return markdown
  const code = await unlessTooCostly(app.texts.for(owner).codeSpans(markdown), null)
  if (code === null) return NOT_SHOWN
  let next = 0
  return markdown.replace(/<!--(?:>|->|[\s\S]*?(?:-->|$))/g, (comment, offset: number) => {
    while (next < code.length && (code[next]?.[1] ?? 0) <= offset) next++
    return (code[next]?.[0] ?? markdown.length) <= offset ? comment : ''
  })
}

/** Replaces the targets of links and pictures by addresses of the site. */
async function withAddresses(
  app: App,
  { siteSpace, pages, entry }: ReadPage,
  { markdown, gitPath }: PageText,
  address: string,
): Promise<string> {
  if (gitPath === undefined) return markdown
  const { revision } = pages
  const exists = new KnownFiles(revision.snapshot)
  const references = await unlessTooCostly(app.texts.for(revision.space.doc.id).references(markdown), null)
  if (references === null) return NOT_SHOWN
  const resolved: ((typeof references)[number] & { named: ReturnType<typeof resolveReference> })[] = []
  for (const one of references) {
    const named = await exists.during((has) => resolveReference(one.target, gitPath, revision.structure, has))
    resolved.push({ ...one, named })
  }
  const anchorIn = await anchorsOfLinks(
    app,
    revision,
    resolved.map(({ named }) => named),
  )
  const replacements = resolved.flatMap(({ named, start, end }) => {
    if (named.kind === 'file') return [{ start, end, target: address + pathOfFile(app, siteSpace, named.gitPath) }]
    if (named.kind === 'unsafe') return [{ start, end, target: NOWHERE }]
    if (named.kind !== 'page') return []
    const to = named.entry.id === entry.id ? entry : pages.find(named.entry.id)
    const anchor = named.anchor === undefined ? '' : `#${anchorIn(named.gitPath, named.anchor)}`
    return [{ start, end, target: to ? address + pathOfPage(siteSpace, pages, to) + anchor : NOWHERE }]
  })
  return rewriteReferences(markdown, replacements)
}
