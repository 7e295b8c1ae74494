/** Reads the parts of specifications that pages and blocks show, and their index. */
import { errorCode } from '../../kernel/thrown.js'
import type { OpenApiVersionDoc, PartIndex, PartPlace } from '../../model/index.js'
import type { App } from '../context/app.js'

/**
 * Returns the index of a version's parts. Null if it was not created yet, or if its file is missing, which `fsck`
 * reports.
 */
export async function partIndexOf(app: App, { index }: Pick<OpenApiVersionDoc, 'index'>): Promise<PartIndex | null> {
  if (!index) return null
  const known = app.content.partIndexes.get(index)
  if (known) return known
  const bytes = await unlessGone(app.specFiles.read(index))
  if (!bytes) return null
  const made: PartIndex = JSON.parse(bytes.toString())
  app.content.partIndexes.set(index, made)
  return made
}

/** A stored part: its searchable fields, and its displayed content as JSON. */
interface StoredPart {
  title: string
  words: string
  shown: string
}

/** Reads parts of a version in the order of their positions. Null if the file is missing. */
export async function readParts(
  app: Pick<App, 'specFiles'>,
  file: string,
  places: readonly PartPlace[],
): Promise<StoredPart[] | null> {
  const found = await unlessGone(app.specFiles.readRanges(file, places))
  return (
    found?.map((bytes) => {
      const [about = '', shown = 'null'] = bytes.toString().split('\n')
      const stored: Pick<StoredPart, 'title' | 'words'> = JSON.parse(about)
      return { ...stored, shown }
    }) ?? null
  )
}

async function unlessGone<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return null
    throw error
  }
}
