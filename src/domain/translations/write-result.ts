/** Produces the files of a run: woven pages, copied and moved files, and their ledger. */
import { required } from '../../kernel/defined.js'
import type { IdOverrides } from '../../content/identity.js'
import { repairInSteps } from '../../content/identity-changes.js'
import { encodeText, encodingOf } from '../../content/text.js'
import type { Corrections, WovenPage } from '../../content/translation/weave.js'
import { TextTooCostly } from '../../content/work/text-work.js'
import type { FileChange, Repository } from '../../git/index.js'
import type { RunResult } from '../../model/index.js'
import { inSlices } from '../../kernel/slices.js'
import { entriesOf } from '../revisions/identity-changes.js'
import type { KnownFile } from './ledgers.js'
import { versionsOf, type TranslationWork, wordsOf } from './needs.js'
import type { FileStep } from './plan.js'

const MAX_NOTES = 50

/** The files of a run. */
export interface Written {
  changes: FileChange[]
  files: Map<string, KnownFile>
  units: Map<string, string>
  pages: number
  words: number
  notes: RunResult['notes']
  /** Segments whose translations are unusable. */
  refused: Set<string>
}

/** Produces the files. `answers` maps segments to translations of the engine. */
export async function writeResult(
  work: TranslationWork,
  repo: Repository,
  answers: ReadonlyMap<string, string>,
  corrections: Corrections,
): Promise<Written> {
  const { plan, ledger } = work
  const written: Written = {
    changes: [],
    files: new Map(),
    units: new Map(),
    pages: 0,
    words: 0,
    notes: [...plan.notes],
    refused: new Set(),
  }
  const puts = new Map<string, FileChange>()
  const removed = new Set(plan.gone.map(({ ours }) => ours.path))
  written.pages += plan.gone.filter(({ known, ours }) => ours.isText && known.source !== '').length
  // Steps that the plan left out stay unchanged.
  for (const [id, known] of ledger.files) if (work.source.byId.has(id)) written.files.set(id, known)
  for (const step of plan.steps) {
    work.signal.throwIfAborted()
    if (step.ours && step.ours.path !== step.to && step.how !== 'leave') removed.add(step.ours.path)
    const change = await changeOf(work, step, { repo, answers, corrections, written })
    if (change) puts.set(step.to, change)
  }
  for (const path of removed) if (!puts.has(path)) written.changes.push({ path, delete: true })
  written.changes.push(...puts.values())
  written.notes = written.notes.slice(0, MAX_NOTES)
  return written
}

interface WriteContext {
  repo: Repository
  answers: ReadonlyMap<string, string>
  corrections: Corrections
  written: Written
}

async function changeOf(work: TranslationWork, step: FileStep, context: WriteContext): Promise<FileChange | null> {
  const { file, known, ours, to, how } = step
  const { written } = context
  const remember = (blob: string, kept: boolean, edited: boolean): void => {
    const { id, oid: source, path, mode } = file
    written.files.set(id, { id, source, written: blob, path, mode, kept, edited })
  }
  if (how === 'leave' || (how === 'move' && !ours)) {
    if (known) remember(known.written, known.kept, known.edited)
    return null
  }
  if (how === 'move' && ours) {
    if (known) remember(known.written, known.kept, known.edited)
    if (file.isText) written.pages++
    return { path: to, oid: ours.oid, mode: ours.mode }
  }
  const woven = how === 'weave' ? await weave(work, step, context) : null
  if (!woven) return copy(work, step, context.repo, remember)
  const content = encodeText(woven.text, encodingOf(await work.source.snapshot.read(file.oid)))
  const oid = await context.repo.objects.writeBlob(content)
  remember(oid, woven.kept.length > 0, woven.edited)
  written.units.set(file.id, woven.ledger)
  if (ours?.oid === oid && ours.path === to && ours.mode === file.mode) return null
  written.pages++
  return { path: to, oid, mode: file.mode }
}

/** Copies a file unchanged. */
async function copy(
  { source, result }: TranslationWork,
  { file, ours, to }: FileStep,
  repo: Repository,
  remember: (blob: string, kept: boolean, edited: boolean) => void,
): Promise<FileChange | null> {
  remember(file.oid, false, false)
  if (ours?.oid === file.oid && ours.path === to && ours.mode === file.mode) return null
  const isThere = [...[ours?.oid], result.byPath.get(file.path)?.oid].includes(file.oid)
  if (!isThere) await repo.objects.writeBlob(await source.snapshot.read(file.oid))
  return { path: to, oid: file.oid, mode: file.mode }
}

/** Weaves a page. Null if it is too large or too costly; it is then copied. */
async function weave(
  work: TranslationWork,
  step: FileStep,
  { answers, corrections, written }: WriteContext,
): Promise<WovenPage | null> {
  const tooCostly = (reason: string): null => {
    written.notes.push({ path: step.to, reason: `The page was not translated. ${reason}` })
    return null
  }
  const versions = await versionsOf(work, step)
  if (!versions) return tooCostly('It is too large to translate.')
  try {
    const texts = work.app.texts.for(work.owner)
    const needs = await texts.pageNeeds(versions, corrections, { kept: work.again })
    if (needs.limit !== null) return tooCostly(needs.limit)
    const own = Object.fromEntries(
      needs.wanted.flatMap((segment) => (answers.has(segment) ? [[segment, required(answers.get(segment))]] : [])),
    )
    const woven = await texts.weavePage(versions, corrections, { kept: work.again }, own)
    for (const segment of woven.refused) written.refused.add(segment)
    for (const segment of woven.translated) written.words += wordsOf(segment)
    for (const start of woven.kept)
      written.notes.push({ path: step.to, reason: `The engine returned no usable translation for: ${start}` })
    return woven
  } catch (error) {
    if (error instanceof TextTooCostly) return tooCostly(error.message)
    throw error
  }
}

/**
 * Returns the IDs of the result's entries: the source's IDs for its files, and the existing IDs for files of people.
 */
export async function overridesOf(
  { app, source, result, owner }: TranslationWork,
  repo: Repository,
  { changes, files }: Written,
): Promise<IdOverrides> {
  const tree = await repo.trees.draft(result.snapshot.tree, changes)
  const ids = new Set(files.keys())
  const own = new Map<string, string>()
  for (const [name, id] of result.overrides) if (!ids.has(id)) own.set(name, id)
  for (const [name, id] of source.overrides) own.set(name, id)
  return inSlices(repairInSteps(own, await entriesOf(app.texts.for(owner), repo, tree)))
}
