/** Makes the files of a run: woven pages, copied and moved files, and the ledger of them. */
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
  /** Segments whose answers cannot be used. */
  refused: Set<string>
}

/** Makes the files. `answers`: of the engine, by segment. */
export async function writeResult(
  work: TranslationWork,
  repo: Repository,
  answers: ReadonlyMap<string, string>,
  corrections: Corrections,
): Promise<Written> {
  const { plan, ledger } = work
  const made: Written = {
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
  made.pages += plan.gone.filter(({ known, ours }) => ours.isText && known.source !== '').length
  // What was left out by the plan is as it was.
  for (const [id, known] of ledger.files) if (work.source.byId.has(id)) made.files.set(id, known)
  for (const step of plan.steps) {
    work.signal.throwIfAborted()
    if (step.ours && step.ours.path !== step.to && step.how !== 'leave') removed.add(step.ours.path)
    const change = await changeOf(work, step, { repo, answers, corrections, made })
    if (change) puts.set(step.to, change)
  }
  for (const path of removed) if (!puts.has(path)) made.changes.push({ path, delete: true })
  made.changes.push(...puts.values())
  made.notes = made.notes.slice(0, MAX_NOTES)
  return made
}

interface Making {
  repo: Repository
  answers: ReadonlyMap<string, string>
  corrections: Corrections
  made: Written
}

async function changeOf(work: TranslationWork, step: FileStep, making: Making): Promise<FileChange | null> {
  const { file, known, ours, to, how } = step
  const { made } = making
  const remember = (written: string, kept: boolean, edited: boolean): void => {
    const { id, oid: source, path, mode } = file
    made.files.set(id, { id, source, written, path, mode, kept, edited })
  }
  if (how === 'leave' || (how === 'move' && !ours)) {
    if (known) remember(known.written, known.kept, known.edited)
    return null
  }
  if (how === 'move' && ours) {
    if (known) remember(known.written, known.kept, known.edited)
    if (file.isText) made.pages++
    return { path: to, oid: ours.oid, mode: ours.mode }
  }
  const woven = how === 'weave' ? await weave(work, step, making) : null
  if (!woven) return copy(work, step, making.repo, remember)
  const content = encodeText(woven.text, encodingOf(await work.source.snapshot.read(file.oid)))
  const oid = await making.repo.writeBlob(content)
  remember(oid, woven.kept.length > 0, woven.edited)
  made.units.set(file.id, woven.ledger)
  if (ours?.oid === oid && ours.path === to && ours.mode === file.mode) return null
  made.pages++
  return { path: to, oid, mode: file.mode }
}

/** Copies a file as it is. */
async function copy(
  { source, result }: TranslationWork,
  { file, ours, to }: FileStep,
  repo: Repository,
  remember: (written: string, kept: boolean, edited: boolean) => void,
): Promise<FileChange | null> {
  remember(file.oid, false, false)
  if (ours?.oid === file.oid && ours.path === to && ours.mode === file.mode) return null
  const isThere = [...[ours?.oid], result.byPath.get(file.path)?.oid].includes(file.oid)
  if (!isThere) await repo.writeBlob(await source.snapshot.read(file.oid))
  return { path: to, oid: file.oid, mode: file.mode }
}

/** Weaves a page; null if it is too large or too costly, and so is copied. */
async function weave(
  work: TranslationWork,
  step: FileStep,
  { answers, corrections, made }: Making,
): Promise<WovenPage | null> {
  const tooCostly = (reason: string): null => {
    made.notes.push({ path: step.to, reason: `The page stays in the source language. ${reason}` })
    return null
  }
  const versions = await versionsOf(work, step)
  if (!versions) return tooCostly('It is too large to be translated.')
  try {
    const texts = work.app.texts.for(work.owner)
    const needs = await texts.pageNeeds(versions, corrections, { kept: work.again })
    if (needs.limit !== null) return tooCostly(needs.limit)
    const own = Object.fromEntries(
      needs.wanted.flatMap((segment) => (answers.has(segment) ? [[segment, answers.get(segment) as string]] : [])),
    )
    const woven = await texts.weavePage(versions, corrections, { kept: work.again }, own)
    for (const segment of woven.refused) made.refused.add(segment)
    for (const segment of woven.translated) made.words += wordsOf(segment)
    for (const start of woven.kept)
      made.notes.push({ path: step.to, reason: `The engine returned no usable translation for: ${start}` })
    return woven
  } catch (error) {
    if (error instanceof TextTooCostly) return tooCostly(error.message)
    throw error
  }
}

/** The IDs of the result's entries: those of the source for its files, and what people's own files had. */
export async function overridesOf(
  { app, source, result, owner }: TranslationWork,
  repo: Repository,
  { changes, files }: Written,
): Promise<IdOverrides> {
  const tree = await repo.draft(result.snapshot.tree, changes)
  const ids = new Set(files.keys())
  const own = new Map<string, string>()
  for (const [name, id] of result.overrides) if (!ids.has(id)) own.set(name, id)
  for (const [name, id] of source.overrides) own.set(name, id)
  return inSlices(repairInSteps(own, await entriesOf(app.texts.for(owner), repo, tree)))
}
