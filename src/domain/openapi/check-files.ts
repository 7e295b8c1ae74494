/** Checks the files of specifications, and repairs those whose content something else says. */
import { type OpenApiSpecDoc, openApiSpecs, openApiVersions, type OpenApiVersionDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import { rebuildFiles } from './processing.js'
import { queueProcessing, sweepSpecFiles } from './queue.js'

interface Findings {
  complaints: string[]
  notes: string[]
}

type Version = Document<OpenApiVersionDoc>
const DERIVED = ['outline', 'parts', 'index'] as const

/**
 * Looks for files that are missing or damaged (`deep`: by their hashes), and removes those that nothing names. What is made from a version's document is
 * made again. A version without its document is removed, unless it is the newest: then the specification is read again from its source.
 */
export async function checkSpecFiles(app: App, options: { deep: boolean }): Promise<Findings> {
  const found: Findings = { complaints: [], notes: [] }
  for (const spec of await app.store.all(openApiSpecs)) {
    const name = `OpenAPI specification ${spec.slug} of organization ${spec.organization}`
    if ('text' in spec.source) {
      const state = await app.specFiles.check(spec.source.text, options)
      if (state !== 'whole')
        found.complaints.push(
          `${name}: its source, the file ${spec.source.text}, is ${state}. Give it the text again (PUT).`,
        )
    }
    for (const version of await app.store.find(openApiVersions, 'spec', spec.id))
      found.complaints.push(...(await checkVersion(app, { spec, version, name }, options)))
  }
  const removed = await sweepSpecFiles(app)
  if (removed > 0) found.notes.push(`OpenAPI specifications: ${removed} files that nothing names were removed.`)
  return found
}

async function checkVersion(
  app: App,
  { spec, version, name }: { spec: Document<OpenApiSpecDoc>; version: Version; name: string },
  options: { deep: boolean },
): Promise<string[]> {
  const at = `${name}, version ${version.id}`
  const content = await app.specFiles.check(version.content, options)
  if (content !== 'whole') {
    await app.specFiles.remove(version.content)
    return [
      `${at}: its document, the file ${version.content}, is ${content}. ${await withoutDocument(app, spec, version)}`,
    ]
  }
  const wrong: string[] = []
  for (const kind of DERIVED) {
    const state = await app.specFiles.check(version[kind], options)
    if (state === 'whole') continue
    await app.specFiles.remove(version[kind])
    wrong.push(`${kind} (the file ${version[kind]}) is ${state}`)
  }
  if (wrong.length === 0) return []
  const made = await rebuildFiles(app, version)
  if (made) await app.store.replace(openApiVersions, { ...version, ...made })
  return [
    `${at}: ${wrong.join(', ')}. ${made ? 'It was made again from the document.' : 'It cannot be made again: give the specification its source again (PUT).'}`,
  ]
}

/** What becomes of a version whose document is gone, in words. */
async function withoutDocument(app: App, spec: Document<OpenApiSpecDoc>, version: Version): Promise<string> {
  if (spec.lastVersion !== version.id) {
    await app.store.remove(openApiVersions, version.id)
    return 'The version was removed.'
  }
  await app.store.transact(async (tx) => {
    const stored = await tx.get(openApiSpecs, spec.id)
    if (!stored) return
    const { validators: _unknown, ...rest } = stored
    await queueProcessing(app, tx, await tx.replace(openApiSpecs, rest))
  })
  return 'It is read again from its source when the server runs.'
}
