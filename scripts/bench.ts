import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { changes, changesLine } from './bench/changes.js'
import { connectionLines, connectionRuns } from './bench/connections.js'
import { documents } from './bench/documents.js'
import { blockTrees, blockTreesLine, firstReadLine, firstReads, historyLines, longHistories } from './bench/facts.js'
import { doorLines, gitDoor } from './bench/git-door.js'
import { listLines, lists } from './bench/lists.js'
import { manyEdits, manyEditsLines } from './bench/many-edits.js'
import { manySpaces, manySpacesLine } from './bench/many-spaces.js'
import { type LargeRun, largeLine, largeRepository } from './bench/large-repository.js'
import { type Line, print } from './bench/measure.js'
import { nodeLines, nodes } from './bench/nodes.js'
import { quietSpace, quietSpaceLine } from './bench/quiet-space.js'
import { readLines, reads } from './bench/reads.js'
import { searches, searchLine } from './bench/search.js'
import { publishedSites, siteLines } from './bench/sites.js'
import { startLines, starts } from './bench/start.js'
import { adoptions } from './bench/sync.js'
import { edits, merges } from './bench/writes.js'

// Runs the benchmarks. Every line is a ratio to a baseline from the same run; both are measured in turns:
//   npm run bench                                    all lines
//   npm run bench "page read"                        the lines whose name contains this text
//   npm run bench adoption -- --repository <path>    also on your own repository or bundle (repeatable)
//   npm run bench "many spaces" -- --seconds 200 --spaces 300    a longer run, or more spaces
//   npm run bench "large repository" -- --scale 0.1          a tenth of 50,000 pages, 5,000 commits and 2 GB; only if named
//   npm run bench "large repository" -- --repository <path>  your own repository
// BINDERY_CACHE_BYTES is passed on: with little of it, a short run shows whether memory stays flat once the caches are full.
// BENCH_PROFILE=<folder> keeps a profile of the measured server's processor time there; BENCH_MAIN=<dist/main.js of another build> measures that one.

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    repository: { type: 'string', multiple: true, default: [] },
    seconds: { type: 'string', default: '40' },
    spaces: { type: 'string', default: '300' },
    scale: { type: 'string', default: '1' },
  },
})
const part = positionals[0] ?? ''
const wanted = (name: string): boolean => name.includes(part)

const groups: { names: string[]; run: (dir: string) => Promise<Line[]> }[] = [
  { names: readLines, run: (dir) => reads(dir, wanted) },
  { names: ['one edit, 10,000 pages / 100 pages'], run: edits },
  { names: ['clean merge / merge-tree, commit-tree and update-ref'], run: merges },
  { names: [changesLine], run: changes },
  { names: ['adoption / git clone --bare'], run: (dir) => adoptions(dir, values.repository) },
  { names: [...doorLines], run: gitDoor },
  { names: [...connectionLines], run: (dir) => connectionRuns(dir, wanted) },
  { names: [blockTreesLine], run: blockTrees },
  { names: [firstReadLine], run: firstReads },
  { names: historyLines, run: longHistories },
  { names: [searchLine], run: searches },
  { names: siteLines, run: (dir) => publishedSites(dir, wanted) },
  { names: ['document patch, 10,000 documents / 10 documents'], run: documents },
  { names: listLines, run: (dir) => lists(dir, wanted) },
  { names: [...manyEditsLines], run: manyEdits },
  { names: [quietSpaceLine], run: quietSpace },
  { names: startLines, run: (dir) => starts(dir, wanted) },
  { names: nodeLines, run: (dir) => nodes(dir, wanted) },
  {
    names: [manySpacesLine],
    run: (dir) => manySpaces(dir, { spaces: Number(values.spaces), seconds: Number(values.seconds) }),
  },
]

// It takes half an hour and many gigabytes, so it runs only if it is named.
const large: LargeRun = { scale: Number(values.scale), repository: values.repository[0] ?? null }
if (part !== '' && largeLine.includes(part))
  groups.push({ names: [largeLine], run: (dir) => largeRepository(dir, large, print) })

// The signal of a time limit must not leave servers running.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
const dir = await mkdtemp(join(tmpdir(), 'bindery-bench-'))
try {
  for (const { names, run } of groups)
    if (names.some(wanted)) for (const line of await run(dir)) if (wanted(line.name)) print(line)
} finally {
  await rm(dir, { recursive: true, force: true })
}
process.exit()
