/** Adds a template to a space, as one commit of the caller on its main content. */
import { relativeTarget } from '../../content/edit/rewrite-references.js'
import type { Template } from '../../content/templates/template.js'
import type { FileEntry } from '../../content/types.js'
import { templateChanges } from '../../content/templates/template-changes.js'
import { badRequest, type ErrorDetail } from '../../kernel/errors.js'
import type { CommitId } from '../../kernel/ids.js'
import type { UseTemplate } from '../../model/index.js'
import type { Actor } from '../context/actor.js'
import type { App } from '../context/app.js'
import type { LoadedSpace } from '../context/loaded.js'
import { writeToMain } from '../commits/write-content.js'
import { openMain } from '../revisions/main-content.js'
import { eachDocument, filesOf, type OpenRevision, readDocument } from '../revisions/revisions.js'

/** A template by its ID. Throws 400 listing those that there are. */
export function getTemplate(app: App, id: string, path: string): Template {
  const template = app.templates.get(id)
  if (template) return template
  const known = [...app.templates.keys()]
  const message = known.length === 0 ? 'this service has no templates' : `must be one of ${known.join(', ')}`
  throw badRequest(`There is no template ${id}.`, [{ path, message }])
}

/**
 * Adds a template to the main content. A space without content is filled: its one empty page becomes the template's first page. In one with content,
 * nothing is overwritten: the template's pages come last, in groups of their own, and get other file names where theirs are taken. Throws 400, 409, 423.
 */
export async function applyTemplate(
  app: App,
  actor: Actor,
  space: LoadedSpace,
  { id, params }: UseTemplate,
): Promise<void> {
  const template = getTemplate(app, id, '/id')
  const revision = await openMain(app, space)
  const given = await givenFiles(app, revision, template, params?.contentRefs ?? {})
  const instead = await emptyPage(app, revision)
  const isEmpty = instead !== null || revision.structure.pages.length === 0
  const taken = new Set(revision.structure.pages.map(({ slug }) => slug))
  const place = {
    given,
    taken,
    ...(instead === null ? {} : { instead }),
    ...(isEmpty ? {} : { group: template.title }),
  }
  const input = { changes: templateChanges(template, place), message: `Add the template "${template.title}"` }
  // Made on the revision that was looked at: what others write meanwhile is merged, or is a conflict.
  await writeToMain({ app, actor, space, input, uploads: new Map() }, revision.snapshot.commit as CommitId)
}

/** The only page of a space without content: one with nothing but a heading. Null if the space has content, or no page. */
async function emptyPage(app: App, revision: OpenRevision): Promise<string | null> {
  const { byId, pages } = revision.structure
  const [page] = [...eachDocument(pages)]
  if (byId.size !== 1 || !page) return null
  const { source, hidden, large } = await readDocument(app, revision, page)
  if (hidden !== undefined || large !== undefined) return null
  return /^(?:#[ \t][^\r\n]*)?$/.test(source.markdown.trim()) ? page.id : null
}

/**
 * What links to files of the template lead to instead: files of the space. Throws 400 naming every name that the template does not know,
 * and every file that the space does not have.
 */
async function givenFiles(
  app: App,
  revision: OpenRevision,
  template: Template,
  refs: NonNullable<NonNullable<UseTemplate['params']>['contentRefs']>,
): Promise<Map<string, string>> {
  const names = Object.keys(refs)
  const given = new Map<string, string>()
  if (names.length === 0) return given
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
    else given.set(path, targetOf(revision, file))
  }
  if (details.length > 0) throw badRequest('The content references do not fit the template.', details)
  return given
}

/** A target that leads to a file from every page: by ID, which becomes a relative link, or from the effective root. */
function targetOf({ structure: { assets, config } }: OpenRevision, { id, gitPath }: FileEntry): string {
  if (assets.some((asset) => asset.id === id)) return `/files/${id}`
  return `/${relativeTarget(config.root === '' ? 'x' : `${config.root}/x`, gitPath)}`
}
