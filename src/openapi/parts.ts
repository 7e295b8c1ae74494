/** Creates the two files of a version that pages and blocks are shown from: its parts and their index. */
import { createHash } from 'node:crypto'
import type { IndexedOperation, PartIndex, PartPlace, ShownOperation, ShownSchema } from '../model/index.js'
import { ShowBudget } from './show-budget.js'
import { type FoundOperation, showOperation, titleOf } from './show-operation.js'
import { showSchema } from './show-schema.js'
import { itemsOf, membersOf, METHODS, resolveIn } from './values.js'
import { isRecord } from '../kernel/guards.js'

/** Limits for the number of parts of each kind, the size of each part and of all parts, and the size of the index. */
const MAX_PARTS = { operations: 5_000, webhooks: 1_000, schemas: 1_000, tags: 1_000 }
const MAX_PART_BYTES = 64 * 1024
const MAX_BYTES = 64 * 1024 * 1024
const MAX_INDEX_BYTES = 4 * 1024 * 1024
/** Maximum length of a name or path, in characters. Longer ones get no part. */
const MAX_NAME_LENGTH = 500
/** Maximum number of characters of a tag's description, and of all tag descriptions together. */
const TAG_DESCRIPTION = { each: 2_000, all: 400_000 }
/** Maximum number of characters of a part that search can find. */
const MAX_WORDS = 4_000

type Document = Record<string, unknown>

/**
 * Returns the file of parts, and the index as JSON. A part is a line of JSON with its searchable text, and a line with
 * its displayed content.
 */
export function partsOf(document: Document): { parts: Buffer; index: Buffer } {
  const writer = new PartWriter()
  const info = isRecord(document.info) ? document.info : {}
  const tags = tagsOf(document)
  const numbers = new Map(tags.map(({ name }, at) => [name, at]))
  const operations = writer.all(operationsOf(document), MAX_PARTS.operations, (found): IndexedOperation | null => {
    const place = writer.operation(found)
    const title = titleOf(found)
    const tag = firstTag(found)
    const id = typeof found.operation.operationId === 'string' ? found.operation.operationId.slice(0, 200) : undefined
    return (
      place && {
        ...place,
        method: found.method.toUpperCase(),
        path: found.path,
        title,
        ...(id ? { id } : {}),
        ...numbered(numbers, tag),
      }
    )
  })
  const webhooks = writer.all(webhooksOf(document), MAX_PARTS.webhooks, (found) => {
    const place = writer.operation(found)
    return place && { ...place, method: found.method.toUpperCase(), name: found.path }
  })
  const schemas = writer.all(schemasOf(document), MAX_PARTS.schemas, ([name, schema]) =>
    writer.schema(document, name, schema),
  )
  const index: PartIndex = {
    title: typeof info.title === 'string' ? info.title.slice(0, 200) : '',
    tags,
    operations: operations.kept,
    webhooks: webhooks.kept,
    schemas: schemas.kept,
    left: { operations: operations.left, webhooks: webhooks.left, schemas: schemas.left },
  }
  return { parts: writer.bytes(), index: Buffer.from(JSON.stringify(index)) }
}

const firstTag = ({ operation }: FoundOperation): string | undefined =>
  itemsOf(operation.tags).find(
    (one): one is string => typeof one === 'string' && one.trim() !== '' && one.length <= MAX_NAME_LENGTH,
  )

const numbered = (numbers: ReadonlyMap<string, number>, tag: string | undefined): { tag?: number } => {
  const number = tag === undefined ? undefined : numbers.get(tag)
  return number === undefined ? {} : { tag: number }
}

/**
 * Returns the first tags of operations: those that the document lists, in its order, then the others in order of
 * occurrence.
 */
function tagsOf(document: Document): PartIndex['tags'] {
  const used = new Set<string>()
  for (const found of operationsOf(document)) {
    const tag = firstTag(found)
    if (tag !== undefined) used.add(tag)
  }
  const listed = new Map<string, string>()
  let left = TAG_DESCRIPTION.all
  for (const one of itemsOf(document.tags)) {
    if (!isRecord(one) || typeof one.name !== 'string' || !used.has(one.name) || listed.has(one.name)) continue
    const description =
      typeof one.description === 'string' ? one.description.trim().slice(0, Math.min(TAG_DESCRIPTION.each, left)) : ''
    left -= description.length
    listed.set(one.name, description)
  }
  for (const name of used) if (!listed.has(name)) listed.set(name, '')
  return [...listed]
    .slice(0, MAX_PARTS.tags)
    .map(([name, description]) => ({ name, ...(description === '' ? {} : { description }) }))
}

function* operationsOf(document: Document): Generator<FoundOperation> {
  for (const [path, item] of membersOf(document.paths)) if (path.startsWith('/')) yield* ofItem(document, path, item)
}

function* webhooksOf(document: Document): Generator<FoundOperation> {
  for (const [name, item] of membersOf(document.webhooks))
    for (const found of ofItem(document, name, item)) yield { ...found, webhook: true }
}

function* ofItem(document: Document, path: string, item: unknown): Generator<FoundOperation> {
  const shared = resolveIn(document, item)
  if (!shared) return
  for (const method of METHODS)
    if (isRecord(shared[method])) yield { document, method, path, operation: shared[method], shared }
  for (const [method, operation] of membersOf(shared.additionalOperations))
    if (isRecord(operation)) yield { document, method, path, operation, shared }
}

function schemasOf(document: Document): [string, unknown][] {
  const components = isRecord(document.components) ? document.components.schemas : undefined
  return membersOf(components ?? document.definitions)
}

class PartWriter {
  readonly #chunks: Buffer[] = []
  #length = 0
  #indexBytes = 0

  /** Creates parts until a limit is reached. Counts the items without a part. */
  all<F, P extends object>(found: Iterable<F>, most: number, make: (one: F) => P | null): { kept: P[]; left: number } {
    const kept: P[] = []
    let left = 0
    for (const one of found) {
      const made = kept.length < most && this.#indexBytes < MAX_INDEX_BYTES ? make(one) : null
      if (made) {
        kept.push(made)
        this.#indexBytes += Buffer.byteLength(JSON.stringify(made)) + 1
      } else left++
    }
    return { kept, left }
  }

  operation(found: FoundOperation): PartPlace | null {
    if (found.path.length > MAX_NAME_LENGTH || found.method.length > 40) return null
    const shown = showOperation(found)
    return this.#write({ title: shown.title, words: wordsOf(shown) }, shown)
  }

  schema(document: Document, name: string, schema: unknown): (PartPlace & { name: string }) | null {
    if (name.length > MAX_NAME_LENGTH) return null
    const shown = {
      kind: 'schema',
      name,
      schema: showSchema(schema, {
        document,
        budget: new ShowBudget(),
        followed: [`#/components/schemas/${name}`],
        level: 0,
      }),
    }
    const place = this.#write({ title: name, words: wordsOfSchema(shown.schema).join(' ').slice(0, MAX_WORDS) }, shown)
    return place && { ...place, name }
  }

  #write(found: { title: string; words: string }, shown: object): PartPlace | null {
    const bytes = Buffer.from(`${JSON.stringify(found)}\n${JSON.stringify(shown)}\n`)
    if (bytes.length > MAX_PART_BYTES || this.#length + bytes.length > MAX_BYTES) return null
    const place = {
      at: this.#length,
      length: bytes.length,
      hash: createHash('sha256').update(bytes).digest('hex').slice(0, 40),
    }
    this.#chunks.push(bytes)
    this.#length += bytes.length
    return place
  }

  bytes = (): Buffer => Buffer.concat(this.#chunks)
}

function wordsOf({
  method,
  path,
  summary = '',
  description = '',
  parameters,
  body,
  responses,
}: ShownOperation): string {
  const schemas = [...(body?.contents ?? []), ...responses.flatMap(({ contents }) => contents)].flatMap(({ schema }) =>
    schema ? wordsOfSchema(schema) : [],
  )
  const parameterTexts = parameters.flatMap((one) => [one.name, one.description ?? ''])
  return [method, path, summary, description, ...parameterTexts, ...new Set(schemas)]
    .filter(Boolean)
    .join(' ')
    .slice(0, MAX_WORDS)
}

function wordsOfSchema({ description = '', properties = [], inner, choice }: ShownSchema): string[] {
  return [
    description,
    ...properties.flatMap(({ name, schema }) => [name, ...wordsOfSchema(schema)]),
    ...(inner ? wordsOfSchema(inner) : []),
    ...(choice?.schemas.flatMap(wordsOfSchema) ?? []),
  ]
}
