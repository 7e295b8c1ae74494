/** A page of a site as markdown, with exactly the content that a visitor sees. */
import { rewriteReferences } from '../../content/edit/rewrite-references.js'
import { withoutPlaceholders } from '../../content/placeholder-label.js'
import type { Reference } from '../../content/reference.js'
import { resolveReference } from '../../content/resolve-reference.js'
import { unlessTooCostly } from '../../content/work/text-work.js'
import type { App } from '../context/app.js'
import { anchorsOfLinks } from '../revisions/link-graph.js'
import { KnownFiles } from '../revisions/pages.js'
import { isConditional, NOT_SHOWN, pathOfFile, type PageText } from './visitor-page.js'
import { pathOfPage, type ReadPage } from './visitor-paths.js'
import type { Visitor } from './visitor.js'

/** Replaces the target of a link to content that is missing or hidden from the visitor. */
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

/** Replaces the targets of links and pictures with addresses of the site. */
async function withAddresses(
  app: App,
  page: ReadPage,
  { markdown, gitPath, files }: PageText,
  address: string,
): Promise<string> {
  if (gitPath === undefined) return markdown
  const { revision } = page.pages
  const find = (text: string) => unlessTooCostly(app.texts.for(revision.space.doc.id).references(text), null)
  const written = await find(markdown)
  if (written === null) return NOT_SHOWN
  const addresses = await addressesFor(app, page, { references: written, gitPath, files }, address)
  const lost = written.filter(({ target }) => addresses.get(target) === NOWHERE)
  const shown = lost.length > 0 ? withoutPlaceholders(markdown, lost) : markdown
  const references = shown === markdown ? written : await find(shown)
  if (references === null) return NOT_SHOWN
  return rewriteReferences(
    shown,
    references.flatMap(({ start, end, target }) => {
      const to = addresses.get(target)
      return to === undefined ? [] : [{ start, end, target: to }]
    }),
  )
}

/** Returns the addresses of the targets of a page, as written there. Targets without an entry are unchanged. */
async function addressesFor(
  app: App,
  { siteSpace, pages }: ReadPage,
  { references, gitPath, files }: { references: readonly Reference[]; gitPath: string; files: PageText['files'] },
  address: string,
): Promise<Map<string, string>> {
  const { revision } = pages
  const exists = new KnownFiles(revision.snapshot)
  const named = new Map<string, ReturnType<typeof resolveReference>>()
  for (const { target } of references)
    if (!named.has(target))
      named.set(target, await exists.during((has) => resolveReference(target, gitPath, revision.structure, has)))
  const anchorIn = await anchorsOfLinks(app, revision, named.values())
  const addresses = new Map<string, string>()
  for (const [target, to] of named) {
    if (to.kind === 'file') {
      const isShown = !files || files.has(to.gitPath)
      addresses.set(target, isShown ? address + pathOfFile(app, siteSpace, to.gitPath) : NOWHERE)
    }
    if (to.kind === 'unsafe' || to.kind === 'broken') addresses.set(target, NOWHERE)
    if (to.kind !== 'page') continue
    const shown = pages.find(to.entry.id)
    const anchor = to.anchor === undefined ? '' : `#${anchorIn(to.gitPath, to.anchor)}`
    addresses.set(target, shown ? address + pathOfPage(siteSpace, pages, shown) + anchor : NOWHERE)
  }
  return addresses
}
