/** The progress messages of a migration, and the comparison at its end. */
import { createHash } from 'node:crypto'
import { differencesOf, digestOf, type StoreDigest } from '../../store/index.js'
import { OperatorError } from '../maintenance.js'
import { type Installation, SHELVES, type Report } from './installation.js'
import { compareRepositories } from './repositories.js'

const amount = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : many}`

/**
 * Compares both sides by counts and hashes, and reports what was compared. Throws `OperatorError` with all differences.
 */
export async function compareAll(source: Installation, target: Installation, tell: Report): Promise<void> {
  const mine = await digestOf(source.documents)
  const differences = differencesOf(mine, await digestOf(target.documents))
  const repositories = await compareRepositories(source, target)
  differences.push(...repositories.differences)
  const files = await compareFiles(source, target)
  differences.push(...files.differences)
  if (differences.length > 0) {
    throw new OperatorError(
      `Source and target differ. If a server was running or refs were moved in the meantime, run the same command again. Otherwise, this is a bug in Bindery. Servers do not start on the target.\n  ${differences.join('\n  ')}`,
    )
  }
  tell(`Documents and journals are equal: ${documentsIn(mine)}, hash ${hashOf(mine)}.`)
  tell(
    `Repositories are equal: ${amount(repositories.repositories, 'repository', 'repositories')} with ${amount(repositories.refs, 'ref')}, each with the same commit.`,
  )
  tell(
    `Files are equal: ${amount(files.count, 'file')} with ${amount(files.bytes, 'byte')}, each with the hash that it is named by.`,
  )
}

function documentsIn(digest: StoreDigest): string {
  let [documents, records] = [0, 0]
  for (const [key, { count }] of digest) {
    if (key.startsWith('journal ')) records += count
    else documents += count
  }
  return `${amount(documents, 'document')} and ${amount(records, 'record')} of journals`
}

const hashOf = (digest: StoreDigest): string =>
  createHash('sha256')
    .update(JSON.stringify([...digest].sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest('hex')
    .slice(0, 16)

async function compareFiles(
  source: Installation,
  target: Installation,
): Promise<{ differences: string[]; count: number; bytes: number }> {
  const differences: string[] = []
  let [count, bytes] = [0, 0]
  for (const shelf of SHELVES) {
    // bound: the files of the installation, by name
    const theirs = new Map<string, number>()
    for await (const file of target.files(shelf)) {
      const found = await hashOfFile(file)
      if (found !== file.name) differences.push(`${shelf} ${file.name}: the target has different bytes`)
      theirs.set(file.name, file.size)
    }
    for await (const { name, size } of source.files(shelf)) {
      count++
      bytes += size
      if (theirs.get(name) !== size)
        differences.push(
          `${shelf} ${name}: ${theirs.has(name) ? 'the target has another size' : 'the target does not have it'}`,
        )
      theirs.delete(name)
    }
    for (const name of theirs.keys()) differences.push(`${shelf} ${name}: the source does not have it`)
  }
  return { differences, count, bytes }
}

async function hashOfFile({ read }: { read(): AsyncIterable<Uint8Array> }): Promise<string> {
  const hash = createHash('sha256')
  for await (const part of read()) hash.update(part)
  return hash.digest('hex')
}
