/** Adds a template to a space, as one commit of the caller on its main content. */
import { relativeTarget } from '../../content/edit/rewrite-references.js'
import type { Template } from '../../content/templates/template.js'
import type { FileEntry } from '../../content/types.js'
import { templateChanges } from '../../content/templates/template-changes.js'
import { badRequest, type ErrorDetail } from '../../kernel/errors.js'
import type { UseTemplate } from '../../model/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { writeToMain } from '../commits/write-content.js'
import { openMain } from '../revisions/main-content.js'
import { eachDocument, filesOf, type OpenRevision, readDocument } from '../revisions/revisions.js'

/** Returns a template by ID. Throws 400 listing the available ones. */
export async function getTemplate(app: App, id: string, path: string): Promise<Template> {
  const templates = await app.templates()
  const template = templates.get(id)
  if (template) return template
  const known = [...templates.keys()]
  const message = known.length === 0 ? 'this service has no templates' : `must be one of ${known.join(', ')}`
  throw badRequest(`The template ${id} does not exist.`, [{ path, message }])
}

/**
 * Adds a template to the main content. In a space without content, the template's first page replaces the one empty
 * page. Existing content is not overwritten: the template's pages come last, in separate groups, and get other file
 * names where theirs are taken. Throws 400, 409, 423.
 */
export async function applyTemplate(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  { id, params }: UseTemplate,
): Promise<void> {
  const template = await getTemplate(app, id, '/id')
  const revision = await openMain(app, space)
  const replacements = await replacementFiles(app, revision, template, params?.contentRefs ?? {})
  const instead = await emptyPage(app, revision)
  const isEmpty = instead !== null || revision.structure.pages.length === 0
  const taken = new Set(revision.structure.pages.map(({ slug }) => slug))
  const place = {
    given: replacements,
    taken,
    ...(instead === null ? {} : { instead }),
    ...(isEmpty ? {} : { group: template.title }),
  }
  const input = { changes: templateChanges(template, place), message: `Add the template "${template.title}"` }
  // The commit builds on the revision that was read. Concurrent changes are merged, or conflict.
  await writeToMain({ app, actor, space, input, uploads: new Map() }, revision.snapshot.commit)
}

/**
 * Finds the only page of a space without content, which has at most a heading. Null if the space has content, or no
 * page.
 */
async function emptyPage(app: App, revision: OpenRevision): Promise<string | null> {
  const { byId, pages } = revision.structure
  const [page] = [...eachDocument(pages)]
  if (byId.size !== 1 || !page) return null
  const { source, hidden, large } = await readDocument(app, revision, page)
  if (hidden !== undefined || large !== undefined) return null
  return /^(?:#[ \t][^\r\n]*)?$/.test(source.markdown.trim()) ? page.id : null
}

/**
 * Returns the files of the space that replace files of the template in links. Throws 400 naming every unknown name and
 * every missing file.
 */
async function replacementFiles(
  app: App,
  revision: OpenRevision,
  template: Template,
  refs: NonNullable<NonNullable<UseTemplate['params']>['contentRefs']>,
): Promise<Map<string, string>> {
  const names = Object.keys(refs)
  const replacements = new Map<string, string>()
  if (names.length === 0) return replacements
  const details: ErrorDetail[] = []
  const files = new Map((await filesOf(app, revision)).map((file) => [file.id, file]))
  const known = new Map(template.refs.map(({ name, file }) => [name, file]))
  for (const name of names) {
    const path = known.get(name)
    const file = files.get(refs[name]?.file ?? '')
    const pointer = `/params/contentRefs/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (path === undefined)
      details.push({
        path: pointer,
        message:
          known.size === 0
            ? 'the template has no content references'
            : `must be one of ${[...known.keys()].join(', ')}`,
      })
    else if (!file) details.push({ path: `${pointer}/file`, message: 'must be the ID of a file of the space' })
    else replacements.set(path, targetOf(revision, file))
  }
  if (details.length > 0) throw badRequest('The content references do not fit the template.', details)
  return replacements
}

/**
 * Returns a link target for a file that works from every page: by ID, which becomes a relative link, or from the
 * effective root.
 */
function targetOf({ structure: { assets, config } }: OpenRevision, { id, gitPath }: FileEntry): string {
  if (assets.some((asset) => asset.id === id)) return `/files/${id}`
  return `/${relativeTarget(config.root === '' ? 'x' : `${config.root}/x`, gitPath)}`
}
