/** What a run leaves of a page: for each unit of it, hashes of what the source said and of what was written. */
import { hashOf, sourceHash, type Unit } from './units.js'

/** One unit of the last run. */
export interface LedgerUnit {
  /** Hash of the unit in the source. */
  source: string
  /** Hash of the unit as written. */
  written: string
  /** Hash of what followed the unit in the source. */
  gap: string
  /** What kind of block it is: see `shapeOf`. */
  shape: string
  /** Whether it stayed in the source language although it has something to translate. */
  kept: boolean
}

/** What kind of block a unit is, by how it begins: a unit that a person rewrote mostly still begins like that. */
export const shapeOf = (core: string): string =>
  (/^\s*(#{1,6}|[*+-](?= )|\d+[.)]|\||>|`{3}|~{3}|\{%|<[a-z]*|[A-Za-z]+:|\S?)/.exec(core)?.[1] ?? '').replace(
    /[\d\p{L}]+(?!:)/u,
    'a',
  )

/** A ledger as text: a line for each unit. */
export const encodeLedger = (units: readonly LedgerUnit[]): string =>
  units
    .map(({ source, written, gap, shape, kept }) => `${source} ${written} ${gap} ${kept ? 'kept' : 'done'} ${shape}\n`)
    .join('')

/** The ledger of a text; [] if there is none. */
export const decodeLedger = (text: string): LedgerUnit[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [source = '', written = '', gap = '', state, shape = ''] = line.split(' ')
      return { source, written, gap, shape, kept: state === 'kept' }
    })

/** The entry of a unit that was written as `core`. */
export const ledgerUnit = (unit: Pick<Unit, 'core' | 'gap'>, core: string, kept: boolean): LedgerUnit => ({
  source: sourceHash(unit.core),
  written: hashOf(core),
  gap: hashOf(unit.gap),
  shape: shapeOf(unit.core),
  kept,
})
