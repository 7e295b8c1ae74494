/**
 * Updates a page of the result to its current source: unchanged units keep their bytes, text that people wrote is
 * preserved, and the rest is translated.
 */
import { required } from '../../kernel/defined.js'
import { compare, type Fate } from './compare.js'
import { decodeLedger, encodeLedger, type LedgerUnit, ledgerUnit } from './ledger.js'
import { renderUnits } from './render.js'
import { cut, hashOf, sourceHash, type Unit } from './units.js'

/** The three versions of a page. */
export interface PageVersions {
  source: string
  /** The ledger of the last run; '' if there is none. */
  ledger: string
  /** The current page of the result; null if there is none. */
  ours: string | null
}

/** Corrections by people: the hash of the source unit → the corrected text. */
export type Corrections = Readonly<Record<string, string>>

/** Units to translate again although their source did not change. */
export interface Again {
  /** Whether units that stayed in the source language are included. */
  kept: boolean
}

/** The inputs that are needed to weave a page. */
export interface PageNeeds {
  /** The reason why nothing in it can be translated, as a sentence. */
  limit: string | null
  /** The segments to translate. */
  wanted: string[]
  /** Corrections of units that are no longer in the page's source. */
  orphans: Corrections
  /** Corrections of unchanged units: source and correction. */
  examples: { source: string; target: string }[]
}

interface Opened {
  units: Unit[]
  limit: string | null
  ledger: LedgerUnit[]
  known: number[]
  fates: Fate[]
  inserted: Map<number, Unit[]>
}

function open({ source, ledger, ours }: PageVersions): Opened {
  const { units, limit } = cut(source)
  const units0 = decodeLedger(ledger)
  return { units, limit, ledger: units0, ...compare(units, units0, ours === null ? [] : cut(ours).units) }
}

/**
 * Whether a unit is to be translated: it is new or changed, or it stayed in the source language and is requested again.
 */
function isWanted({ units, ledger, known, fates }: Opened, corrections: Corrections, again: Again, j: number): boolean {
  const i = required(known[j])
  const unit = required(units[j])
  if (unit.segments.length === 0) return false
  if (i === -1) return !Object.hasOwn(corrections, sourceHash(unit.core))
  const fate = required(fates[i])
  return again.kept && required(ledger[i]).kept && fate !== 'deleted' && fate.same
}

const MAX_EXAMPLES = 20
const MAX_EXAMPLE = 1_000

/** Returns the segments to translate before the page can be woven. */
export function pageNeeds(versions: PageVersions, corrections: Corrections, again: Again): PageNeeds {
  const opened = open(versions)
  const wanted = new Set<string>()
  const examples: PageNeeds['examples'] = []
  opened.units.forEach((unit, j) => {
    if (isWanted(opened, corrections, again, j)) for (const { coded } of unit.segments) wanted.add(coded)
    const fate = opened.fates[required(opened.known[j])]
    if (
      fate === undefined ||
      fate === 'deleted' ||
      fate.same ||
      unit.segments.length === 0 ||
      examples.length >= MAX_EXAMPLES
    )
      return
    if (unit.core.length + fate.now.core.length <= MAX_EXAMPLE)
      examples.push({ source: unit.core, target: fate.now.core })
  })
  return { limit: opened.limit, wanted: [...wanted], orphans: orphansOf(opened), examples }
}

function orphansOf({ ledger, known, fates }: Opened): Corrections {
  const here = new Set(known)
  return Object.fromEntries(
    ledger.flatMap(({ source }, i) => {
      const fate = required(fates[i])
      return here.has(i) || fate === 'deleted' || fate.same ? [] : [[source, fate.now.core]]
    }),
  )
}

/** A woven page. */
export interface WovenPage {
  text: string
  ledger: string
  /** The first characters of units that should have been translated but stay in the source language. */
  kept: string[]
  /** Whether people edited the result. */
  edited: boolean
  /** Segments whose responses cannot be used. */
  refused: string[]
  /** The segments that were translated for this page. */
  translated: string[]
}

/**
 * Weaves a page. `answers` contains the engine responses by segment. Units without a response stay in the source
 * language.
 */
export function weavePage(
  versions: PageVersions,
  corrections: Corrections,
  again: Again,
  answers: Readonly<Record<string, string>>,
): WovenPage {
  const opened = open(versions)
  const { units, ledger, known, fates, inserted } = opened
  const wanted = (j: number): boolean => isWanted(opened, corrections, again, j)
  const rendered = renderUnits(units, wanted, new Map(Object.entries(answers)))
  const page = new Writer()
  const lines: LedgerUnit[] = []
  const kept: string[] = []
  const [refused, translated] = [new Set<string>(), new Set<string>()]
  units.forEach((unit, j) => {
    const i = required(known[j])
    const made = rendered.cores.get(j)
    const entry = ledger[i]
    if (made !== undefined) for (const { coded } of unit.segments) translated.add(coded)
    if (rendered.refused.has(j)) for (const { coded } of unit.segments) refused.add(coded)
    if (wanted(j) && made === undefined) kept.push(unit.core.slice(0, 80))
    if (entry && made === undefined) {
      const fate = required(fates[i])
      const sameGap = entry.gap === hashOf(unit.gap)
      if (fate !== 'deleted')
        page.add(sameGap ? fate.now.core : withEndsOf(unit, fate.now.core), sameGap ? fate.now.gap : unit.gap)
      lines.push({ ...entry, gap: hashOf(unit.gap) })
    } else {
      const core = withEndsOf(unit, made ?? corrections[sourceHash(unit.core)] ?? unit.core)
      const fate = fates[i]
      page.add(
        core,
        fate !== undefined && fate !== 'deleted' && entry?.gap === hashOf(unit.gap) ? fate.now.gap : unit.gap,
      )
      lines.push(ledgerUnit(unit, core, wanted(j) && made === undefined))
    }
    for (const own of inserted.get(j) ?? []) page.add(own.core, own.gap)
  })
  const edited = inserted.size > 0 || fates.some((fate, i) => known.includes(i) && (fate === 'deleted' || !fate.same))
  return {
    text: page.text,
    ledger: encodeLedger(lines),
    kept,
    edited,
    refused: [...refused],
    translated: [...translated],
  }
}

/** Returns a text with the line ends of a unit, if it has several lines. */
function withEndsOf({ core, gap }: Unit, text: string): string {
  const end = /\r\n|\n/.exec(gap + core)?.[0]
  return end === undefined ? text : text.replace(/\r\n|\n/g, end)
}

/** Joins units. If a unit would run into the next one, a blank line is inserted. */
class Writer {
  text = ''
  #open = false

  add(core: string, gap: string): void {
    if (core !== '' && this.#open && !/[\r\n]$/.test(this.text)) this.text += '\n\n'
    this.text += core + gap
    this.#open ||= core !== ''
  }
}
