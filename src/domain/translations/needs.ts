/** Determines the segments that a run needs from the engine, and the corrections that people made. */
import type { Corrections, PageVersions } from '../../content/translation/weave.js'
import { decodeText, MAX_TEXT_BYTES } from '../../content/text.js'
import { TextTooCostly } from '../../content/work/text-work.js'
import { Slices } from '../../kernel/slices.js'
import {
  askEngine,
  contextOf,
  EngineError,
  type Engine,
  type Guidance,
  type TranslationOrder,
} from '../../translation/index.js'
import type { App } from '../context/app.js'
import type { FilesAt } from './files.js'
import { type Ledger, unitsOf } from './ledgers.js'
import type { FilePlan, FileStep } from './plan.js'
import { RunFailure } from './run-types.js'

/** Maximum number of unchanged pages with edits by people that are read for examples. */
const MAX_EXAMPLE_PAGES = 30
const MAX_EXAMPLES = 20

/** The input of a run. */
export interface TranslationWork {
  app: App
  source: FilesAt
  ledger: Ledger
  result: FilesAt
  plan: FilePlan
  /** ID of the result's space, to which thread time is charged. */
  owner: string
  /** Whether to retry units that stayed in the source language. */
  again: boolean
  signal: AbortSignal
}

/** The needs of a run. */
interface Needs {
  /** Segments to translate. */
  wanted: Set<string>
  corrections: Corrections
  examples: Guidance['examples']
}

/** Returns the three versions of a page. Null if it is too large to translate. */
export async function versionsOf(
  { source, ledger, result }: TranslationWork,
  { file, known, ours }: Pick<FileStep, 'file' | 'known' | 'ours'>,
): Promise<PageVersions | null> {
  const text = await readText(source, file.oid)
  const own = ours ? await readText(result, ours.oid) : null
  if (text === null || (ours && own === null)) return null
  const isNew = !known || known.source === ''
  return { source: text, ledger: isNew ? '' : await unitsOf(ledger, known.id), ours: isNew ? null : own }
}

async function readText({ snapshot }: FilesAt, oid: string): Promise<string | null> {
  const [size] = await snapshot.sizes([oid])
  return size === undefined || size > MAX_TEXT_BYTES ? null : decodeText(await snapshot.read(oid))
}

/** Whether people edited a file of the result. */
const isEdited = ({ known, ours }: Pick<FileStep, 'known' | 'ours'>): boolean =>
  known !== undefined && known.source !== '' && ours !== undefined && (known.edited || ours.oid !== known.written)

/** Reads all pages that the run weaves, and the pages with corrections. */
export async function findNeeds(work: TranslationWork, engine: Engine): Promise<Needs> {
  const needs: Needs = { wanted: new Set(), corrections: {}, examples: [] }
  const corrections: Record<string, string> = {}
  const examples: { source: string; target: string }[] = []
  for (const { known, ours } of work.plan.gone) {
    if (!isEdited({ known, ours }) || !ours.isText) continue
    const now = await readText(work.result, ours.oid)
    if (now !== null)
      Object.assign(
        corrections,
        (await ask(work, { source: '', ledger: await unitsOf(work.ledger, known.id), ours: now }, {}))?.orphans,
      )
  }
  for (const wantsOrphans of [true, false])
    for (const step of work.plan.steps.filter(({ how }) => how === 'weave')) {
      work.signal.throwIfAborted()
      if (wantsOrphans && !isEdited(step)) continue
      const versions = await versionsOf(work, step)
      const found = versions && (await ask(work, versions, wantsOrphans ? {} : corrections))
      if (!found) continue
      if (wantsOrphans) {
        Object.assign(corrections, found.orphans)
        examples.push(...found.examples)
      } else for (const segment of found.wanted) needs.wanted.add(segment)
    }
  if (engine.guided.instructions && needs.wanted.size > 0) examples.push(...(await furtherExamples(work)))
  return { wanted: needs.wanted, corrections, examples: examples.slice(0, MAX_EXAMPLES) }
}

async function ask({ app, owner, again }: TranslationWork, versions: PageVersions, corrections: Corrections) {
  try {
    return await app.texts.for(owner).pageNeeds(versions, corrections, { kept: again })
  } catch (error) {
    if (error instanceof TextTooCostly) return null
    throw error
  }
}

async function furtherExamples(work: TranslationWork): Promise<{ source: string; target: string }[]> {
  const edited = work.plan.steps.filter(
    ({ how, file, known, ours }) => how === 'leave' && file.isText && isEdited({ known, ours }),
  )
  const found: { source: string; target: string }[] = []
  for (const step of edited.slice(0, MAX_EXAMPLE_PAGES)) {
    const versions = await versionsOf(work, step)
    if (versions) found.push(...((await ask(work, versions, {}))?.examples ?? []))
  }
  return found
}

/** Returns the number of text characters in a segment. */
const lengthOf = (segment: string): number => segment.replace(/<[^>]*>/g, '').length
/** Returns the number of words in a segment. */
export const wordsOf = (segment: string): number =>
  segment.replace(/<[^>]*>/g, '').match(/[\p{L}\p{N}]+/gu)?.length ?? 0

/** The limits on sent characters, and a function that records sent ones. */
export interface Allowance {
  limit: { characters: number; reason: (needed: number) => string }[]
  spent: (characters: number) => Promise<void>
}

/** Number of segments per look-up on the main thread, which takes about a millisecond. */
const LOOKUP_BATCH = 200

async function fromMemory(
  { app }: TranslationWork,
  context: string,
  segments: readonly string[],
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const slices = new Slices()
  for (let from = 0; from < segments.length; from += LOOKUP_BATCH) {
    if (slices.due) await slices.rest()
    for (const [segment, answer] of app.translation.memory.get(context, segments.slice(from, from + LOOKUP_BATCH)))
      found.set(segment, answer)
  }
  return found
}

/**
 * Returns the translations of all segments, from the memory or from the engine. Throws `RunFailure` if too much would
 * be sent or the engine fails.
 */
export async function answersFor(
  work: TranslationWork,
  order: TranslationOrder,
  wanted: ReadonlySet<string>,
  allowance: Allowance,
): Promise<Map<string, string>> {
  const { memory } = work.app.translation
  const answers = await fromMemory(work, contextOf(order), [...wanted])
  const missing = [...wanted].filter((segment) => !answers.has(segment))
  const needed = missing.reduce((sum, segment) => sum + lengthOf(segment), 0)
  for (const { characters, reason } of allowance.limit)
    if (needed > characters) throw new RunFailure('budget', reason(needed))
  try {
    await allowance.spent(needed)
    for (const [segment, answer] of await askEngine(memory, order, missing, work.signal)) answers.set(segment, answer)
  } catch (error) {
    if (error instanceof EngineError)
      throw new RunFailure('engine', `${error.message} Finished translations are stored and are not sent again.`)
    throw error
  }
  return answers
}
