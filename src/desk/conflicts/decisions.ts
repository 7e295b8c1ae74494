/**
 * The decisions of a user about conflicts, and the API request for them. A file in conflict consists of parts to
 * resolve: chunks of its text, its path, or the whole file.
 */

/** A version of a file in conflict. */
export interface Version {
  oid: string
  mode: string
  path: string
  text?: string
}

/** A chunk of the three-way merge: the number of lines in each text, in order. */
export interface Chunk {
  kind: 'same' | 'ours' | 'theirs' | 'both' | 'merged' | 'conflict'
  base: number
  ours: number
  theirs: number
  text?: string
}

/** A file in conflict. `ours` is the version of the change request, `theirs` the one of the main content. */
export interface ConflictFile {
  key: string
  path: string
  kind: 'content' | 'add/add' | 'modify/delete' | 'rename' | 'binary' | 'file/directory' | 'mode' | 'name'
  form: 'page' | 'table-of-contents' | 'file' | 'link' | 'submodule'
  base?: Version
  ours?: Version
  theirs?: Version
  chunks?: Chunk[]
}

/** The choice for a part: one version, both versions in sequence, or a manually written text. */
export type Choice = 'base' | 'main' | 'change-request' | 'both' | { text: string }

/** A part of a file that a user resolves. */
export type Part =
  | { id: string; type: 'chunk'; at: number }
  | { id: 'place'; type: 'place' }
  | { id: 'file'; type: 'file' }

/** The decisions about one file, by the ID of the part. */
export type Decisions = Readonly<Record<string, Choice>>

/** A resolution of the API. */
export type Resolution = { path: string; take: 'main' | 'change-request' | 'base' } | { path: string; content: string }

/** Returns the fingerprint of the versions that decisions are about. Decisions about other versions are ignored. */
export const fingerprint = ({ key, base, ours, theirs }: Pick<ConflictFile, 'key' | 'base' | 'ours' | 'theirs'>) =>
  [key, ...[base, ours, theirs].map((one) => (one ? `${one.oid} ${one.mode} ${one.path}` : '-'))].join('\n')

/** Splits a text into lines with their line feeds. The API counts lines in the same way. */
export const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** The three versions of a chunk. */
export interface ChunkTexts {
  base: string
  ours: string
  theirs: string
  /** The number of the first line of the chunk in each text, from 1. */
  from: Readonly<Record<'base' | 'ours' | 'theirs', number>>
}

/** Returns the lines of each chunk. */
export function chunkTexts({ base, ours, theirs, chunks = [] }: ConflictFile): ChunkTexts[] {
  const lines = {
    base: linesOf(base?.text ?? ''),
    ours: linesOf(ours?.text ?? ''),
    theirs: linesOf(theirs?.text ?? ''),
  }
  const done = { base: 0, ours: 0, theirs: 0 }
  return chunks.map((chunk) => {
    const next = (side: 'base' | 'ours' | 'theirs'): string =>
      lines[side].slice(done[side], done[side] + chunk[side]).join('')
    const texts = {
      base: next('base'),
      ours: next('ours'),
      theirs: next('theirs'),
      from: { base: done.base + 1, ours: done.ours + 1, theirs: done.theirs + 1 },
    }
    for (const side of ['base', 'ours', 'theirs'] as const) done[side] += chunk[side]
    return texts
  })
}

/** Whether both sides moved the file to different paths. */
const isMovedTwice = ({ kind, ours, theirs }: ConflictFile): boolean =>
  kind === 'rename' && ours !== undefined && theirs !== undefined && ours.path !== theirs.path

/** Whether the text consists of chunks. Two different files at one path do not. */
function isByChunks(file: ConflictFile): boolean {
  if (!file.chunks || !file.ours || !file.theirs) return false
  if (file.kind === 'rename') return isMovedTwice(file) && file.ours.oid !== file.theirs.oid
  return file.kind === 'content' || file.kind === 'add/add'
}

/** Returns the parts of a file that a user resolves, in the order of the file. */
export function partsOf(file: ConflictFile): Part[] {
  const place: Part[] = isMovedTwice(file) ? [{ id: 'place', type: 'place' }] : []
  if (!isByChunks(file))
    return place.length > 0 && file.ours?.oid === file.theirs?.oid ? place : [{ id: 'file', type: 'file' }]
  const chunks = (file.chunks ?? []).flatMap(({ kind }, at): Part[] =>
    kind === 'conflict' ? [{ id: `chunk ${at}`, type: 'chunk', at }] : [],
  )
  // The texts merge without a conflict, but a user must confirm the result.
  if (chunks.length + place.length === 0) return [{ id: 'file', type: 'file' }]
  return [...place, ...chunks]
}

/** The choices that a part offers. */
export function optionsOf(file: ConflictFile, part: Part): ('base' | 'main' | 'change-request' | 'both')[] {
  if (part.type === 'place') return ['main', 'change-request']
  if (part.type === 'chunk') return ['base', 'main', 'change-request', 'both']
  // Both files stay, so one of them gets another name.
  if (file.kind === 'name') return []
  const isFolder = file.kind === 'file/directory'
  return [
    ...(file.base && !isFolder ? ['base' as const] : []),
    'main',
    'change-request',
    ...(isByChunks(file) ? ['both' as const] : []),
  ]
}

/** Whether one side has a folder at its path. */
export const isFolder = ({ mode }: { mode: string }): boolean => mode === '040000'

/** Whether both sides can stay if the file or folder of the change request gets another name. */
export const hasTwoNames = ({ kind }: Pick<ConflictFile, 'kind'>): boolean =>
  kind === 'file/directory' || kind === 'name'

/** Whether a user may write the result manually. */
export const isWritable = (file: ConflictFile, part: Part): boolean =>
  part.type === 'chunk' ||
  (part.type === 'file' &&
    !hasTwoNames(file) &&
    (file.form === 'page' || file.form === 'file' || file.form === 'table-of-contents') &&
    [file.ours, file.theirs].some((side) => side?.text !== undefined))

/** Joins texts of lines. A text without a line feed at its end gets one if another text follows. */
const joinLines = (texts: readonly string[]): string =>
  texts
    .filter((text) => text !== '')
    .map((text, at, all) => (at < all.length - 1 && !text.endsWith('\n') ? `${text}\n` : text))
    .join('')

/** The features by which two entries of a table of contents are paired: target, title, or whole line. */
function namesOfEntry(line: string): string[] {
  const [, title, target] = /\[((?:[^\]\\]|\\.)*)\]\(([^)\s]*)/.exec(line) ?? []
  return target === undefined ? [line.trimEnd()] : [`to ${target}`, `title ${title}`, line.trimEnd()]
}

/**
 * Joins the entries of both sides. Those of the main content come first. An entry of the change request is added unless
 * the main content has one with its target or title, or removed it.
 */
function bothLists({ base, ours, theirs }: ChunkTexts): string {
  const mine = linesOf(theirs)
  const known = new Set([...mine.flatMap(namesOfEntry), ...linesOf(base).flatMap(namesOfEntry)])
  const added = linesOf(ours).filter(
    (line) => line.trim() !== '' && !namesOfEntry(line).some((name) => known.has(name)),
  )
  const end = mine.findLastIndex((line) => line.trim() !== '') + 1
  return joinLines([...mine.slice(0, end), ...added, ...mine.slice(end)])
}

/** Returns the text of a chunk in conflict for a choice. */
export function chunkResult(file: Pick<ConflictFile, 'form'>, texts: ChunkTexts, choice: Choice): string {
  if (typeof choice === 'object') return choice.text
  if (choice === 'base') return texts.base
  if (choice === 'main') return texts.theirs
  if (choice === 'change-request') return texts.ours
  return file.form === 'table-of-contents' ? bothLists(texts) : joinLines([texts.theirs, texts.ours])
}

/**
 * Returns the text to save by chunks. Unresolved chunks have the text of the base.
 */
export function resultByChunk(file: ConflictFile, decisions: Decisions): string[] {
  return chunkTexts(file).map((texts, at) => {
    const chunk = file.chunks?.[at]
    if (chunk?.text !== undefined) return chunk.text
    if (chunk?.kind === 'theirs') return texts.theirs
    if (chunk?.kind === 'conflict') return chunkResult(file, texts, decisions[`chunk ${at}`] ?? 'base')
    return texts.ours
  })
}

/** Returns the text to save. */
export const resultText = (file: ConflictFile, decisions: Decisions): string =>
  joinLines(resultByChunk(file, decisions))

/** Whether every part of a file is resolved. */
export const isDecided = (file: ConflictFile, decisions: Decisions): boolean =>
  partsOf(file).every(({ id }) => decisions[id] !== undefined)

/** Returns the resolution of a file whose parts are all resolved. */
export function resolutionOf(file: ConflictFile, decisions: Decisions): Resolution {
  const whole = decisions.file
  if (whole !== undefined) {
    if (typeof whole === 'object') return { path: file.path, content: whole.text }
    return whole === 'both' ? { path: file.path, content: resultText(file, {}) } : { path: file.key, take: whole }
  }
  const place = decisions.place === 'main' || decisions.place === 'change-request' ? decisions.place : null
  if (!isByChunks(file)) return { path: file.key, take: place ?? 'main' }
  const text = resultText(file, decisions)
  // Taking a side keeps its bytes, with line ends and encoding.
  if (text === file.theirs?.text && (place ?? 'main') === 'main') return { path: file.key, take: 'main' }
  if (text === file.ours?.text && (place ?? 'change-request') === 'change-request')
    return { path: file.key, take: 'change-request' }
  const moved = place === 'main' ? file.theirs?.path : place === 'change-request' ? file.ours?.path : undefined
  return { path: moved ?? file.path, content: text }
}
