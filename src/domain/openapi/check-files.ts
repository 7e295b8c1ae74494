/** Checks the files of specifications, and repairs those that can be derived again. */
import { type OpenApiSpecDoc, openApiSpecs, openApiVersions, type OpenApiVersionDoc } from '../../model/index.js'
import type { Document } from '../../store/index.js'
import type { App } from '../context/app.js'
import { eachInOrder } from '../context/in-order.js'
import { rebuildFiles } from './processing.js'
import { queueProcessing, sweepSpecFiles } from './queue.js'

interface Findings {
  complaints: string[]
  notes: string[]
}

type Version = Document<OpenApiVersionDoc>
const DERIVED = ['outline', 'parts', 'index'] as const

/**
 * Finds missing or damaged files (`deep` compares hashes) and removes unreferenced ones. Files that are derived from a
 * version's document are created again. A version without its document is removed, unless it is the newest; the
 * specification is then read again from its source.
 */
export async function checkSpecFiles(app: App, options: { deep: boolean }): Promise<Findings> {
  const found: Findings = { complaints: [], notes: [] }
  for await (const spec of eachInOrder(app.store, openApiSpecs, 'all')) {
    const name = `OpenAPI specification ${spec.slug} of organization ${spec.organization}`
    if ('text' in spec.source) {
      const state = await app.specFiles.check(spec.source.text, options)
      if (state !== 'whole')
        found.complaints.push(
          `${name}: its source, the file ${spec.source.text}, is ${state}. Send the text again (PUT).`,
        )
    }
    for (const version of await app.store.find(openApiVersions, 'spec', spec.id))
      found.complaints.push(...(await checkVersion(app, { spec, version, name }, options)))
  }
  const removed = await sweepSpecFiles(app)
  if (removed > 0) found.notes.push(`OpenAPI specifications: ${removed} unreferenced files were removed.`)
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
    `${at}: ${wrong.join(', ')}. ${made ? 'It was created again from the document.' : 'It cannot be created again. Send the source of the specification again (PUT).'}`,
  ]
}

/** Handles a version whose document is missing, and describes the result. */
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
