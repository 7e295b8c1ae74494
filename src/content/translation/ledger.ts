/** The ledger that a run stores for a page: for each unit, hashes of the source and of the written text. */
import { hashOf, sourceHash, type Unit } from './units.js'

/** One unit of the last run. */
export interface LedgerUnit {
  /** The hash of the unit in the source. */
  source: string
  /** The hash of the unit as written. */
  written: string
  /** The hash of the text after the unit in the source. */
  gap: string
  /** The kind of block, from `shapeOf`. */
  shape: string
  /** Whether the unit stayed in the source language although it contains text to translate. */
  kept: boolean
}

/**
 * Returns the kind of block of a unit, from its first characters. Most units that a person rewrites still start with
 * the same characters.
 */
export const shapeOf = (core: string): string =>
  (/^\s*(#{1,6}|[*+-](?= )|\d+[.)]|\||>|`{3}|~{3}|\{%|<[a-z]*|[A-Za-z]+:|\S?)/.exec(core)?.[1] ?? '').replace(
    /[\d\p{L}]+(?!:)/u,
    'a',
  )

/** Encodes a ledger as text, one line per unit. */
export const encodeLedger = (units: readonly LedgerUnit[]): string =>
  units
    .map(({ source, written, gap, shape, kept }) => `${source} ${written} ${gap} ${kept ? 'kept' : 'done'} ${shape}\n`)
    .join('')

/** Decodes the ledger in a text; [] if it is empty. */
export const decodeLedger = (text: string): LedgerUnit[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [source = '', written = '', gap = '', state, shape = ''] = line.split(' ')
      return { source, written, gap, shape, kept: state === 'kept' }
    })

/** Returns the ledger entry of a unit that was written as `core`. */
export const ledgerUnit = (unit: Pick<Unit, 'core' | 'gap'>, core: string, kept: boolean): LedgerUnit => ({
  source: sourceHash(unit.core),
  written: hashOf(core),
  gap: hashOf(unit.gap),
  shape: shapeOf(unit.core),
  kept,
})
