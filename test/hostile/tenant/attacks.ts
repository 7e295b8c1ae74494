/** The attacks of a stranger with two tokens. None needs more than a small body or a few connections. */
import { randomBytes } from 'node:crypto'
import { type Socket, connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { FLUSH, pkt, basic } from '../../git-door/raw.js'
import { runCommand } from '../../support/commands.js'
import { git, hermeticEnv } from '../../support/hermetic-git.js'
import { markdown } from '../kinds/markdown.js'
import { summaries, yaml } from '../kinds/yaml.js'
import type { Place, Json, Person } from './place.js'

/** One request or connection. It is repeated until the attack ends, and is then abandoned. */
type Step = (over: AbortSignal) => Promise<unknown>

export interface StrangerAttack {
  name: string
  /** Returns the steps, which run side by side. */
  prepare(place: Place): Promise<Step[]>
}

const KIB = 1024
const MIB = 1024 * KIB
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
const either = ({ stranger }: Place, at: number): Person => stranger[at % 2] as Person

/** A commit of `git fast-import`. */
const commitOf = (ref: string, from: string, files: Record<string, string | Buffer>): string =>
  `commit ${ref}\ncommitter A <a@a.example> 1700000000 +0000\ndata 1\nx\n${from === '' ? '' : `from ${from}\n`}${Object.entries(
    files,
  )
    .map(([path, text]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`)
    .join('')}`

/** Opens a connection with the head of a request of Git. Ends with the attack or when the server closes it. */
function connection(
  { server }: Place,
  by: Person,
  { path, service, length, body }: { path: string; service: string; length: number; body: Buffer },
  over: AbortSignal,
  use: (socket: Socket) => void,
): Promise<void> {
  const { hostname, port } = new URL(server.url)
  const socket = connect({ host: hostname, port: Number(port) })
  const head = [
    `POST ${path}/git-${service} HTTP/1.1`,
    'Host: stranger',
    `Content-Type: application/x-git-${service}-request`,
    `Authorization: ${basic('git', by.token)}`,
    'Git-Protocol: version=2',
    `Content-Length: ${length}`,
  ]
  return new Promise((done) => {
    socket.on('error', () => {}).on('close', () => done())
    over.addEventListener('abort', () => socket.destroy(), { once: true })
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    socket.write(body)
    use(socket)
  })
}

const emptySpace = async ({ stranger: [first], theirs }: Place): Promise<string> =>
  (await first.must('POST', `/v1/orgs/${theirs}/spaces`, { title: 'Theirs', editMode: 'live' })).id

const slowPushes: StrangerAttack = {
  name: 'slow pushes',
  async prepare(place) {
    const path = `/git/${await emptySpace(place)}.git`
    const command = pkt(`${'0'.repeat(40)} ${'1'.repeat(40)} refs/for/main\0report-status`)
    const request = { path, service: 'receive-pack', length: 64 * MIB, body: Buffer.concat([command, FLUSH]) }
    return times(
      60,
      (at) => (over) =>
        connection(place, either(place, at), request, over, (socket) => {
          socket.resume()
          const drip = setInterval(() => socket.write(Buffer.alloc(1)), 500)
          socket.on('close', () => clearInterval(drip))
        }),
    )
  },
}

const slowFetches: StrangerAttack = {
  name: 'slow fetches',
  async prepare(place) {
    const large = await place.pushed((base) =>
      commitOf('refs/heads/main', base, { x: randomBytes(24 * MIB).toString('latin1') }),
    )
    const head = await git(large.work, ['rev-parse', 'main'])
    const body = Buffer.concat([
      pkt('command=fetch\n'),
      Buffer.from('0001'),
      pkt(`want ${head}\n`),
      pkt('done\n'),
      FLUSH,
    ])
    const request = { path: `/git/${large.id}.git`, service: 'upload-pack', length: body.length, body }
    return times(60, (at) => (over) => connection(place, either(place, at), request, over, (socket) => socket.pause()))
  },
}

const flood: StrangerAttack = {
  name: 'flood of info/refs',
  async prepare(place) {
    const space = await emptySpace(place)
    return times(60, (at) => async (over) => {
      const headers = { authorization: basic('git', either(place, at).token) }
      const url = `${place.server.url}/git/${space}.git/info/refs?service=git-${at % 3 ? 'upload' : 'receive'}-pack`
      const { status } = await fetch(url, { headers, signal: over })
      if (status === 429) await wait(1000)
    })
  },
}

/** Imports, content imports and specifications from a host that accepts connections and never responds. */
const stalledHost: StrangerAttack = {
  name: 'imports from a stalled host',
  async prepare(place) {
    const spaces = await Promise.all(times(12, () => emptySpace(place)))
    return spaces.map((space, at) => async () => {
      const by = either(place, at)
      const url = `${place.silent}/${at}`
      if (at % 3 === 0)
        await by.ask('POST', `/v1/spaces/${space}/git/import`, { url: `${url}.git`, ref: 'refs/heads/main' })
      else if (at % 3 === 1) await by.ask('POST', `/v1/spaces/${space}/content/import`, { url, source: 'website' })
      else await by.ask('PUT', `/v1/orgs/${place.theirs}/openapi/stalled-${at}`, { source: { url } })
      await wait(1000)
    })
  },
}

const printing: StrangerAttack = {
  name: 'PDFs',
  async prepare(place) {
    const files = Object.fromEntries(
      times(300, (n) => [`p/${n}.md`, `# Page ${n}\n\n${'| a | b |\n|---|---|\n| c | d |\n\n'.repeat(40)}`]),
    )
    const spaces = await Promise.all(
      times(4, () => place.pushed((base) => `${commitOf('refs/heads/main', base, files)}D SUMMARY.md\n`)),
    )
    return spaces.map(({ url }, at) => async () => {
      await either(place, at).ask('POST', `${url}/content`, {
        changes: [insertPage('New', `${at} ${Math.random()}`)],
      })
      await either(place, at).ask('GET', `${url}/pdf`)
      await wait(500)
    })
  },
}

const circular = (size: number): object => ({
  openapi: '3.1.0',
  info: { title: 'Circles', version: '1' },
  paths: Object.fromEntries(
    times(size, (n) => [
      `/p${n}`,
      {
        get: {
          responses: {
            200: {
              description: 'x',
              content: { 'application/json': { schema: { $ref: `#/components/schemas/S${n}` } } },
            },
          },
        },
      },
    ]),
  ),
  components: {
    schemas: Object.fromEntries(
      times(size, (n) => [
        `S${n}`,
        {
          type: 'object',
          properties: Object.fromEntries(
            times(12, (m) => [`m${m}`, { $ref: `#/components/schemas/S${(n * 7 + m * 13) % size}` }]),
          ),
        },
      ]),
    ),
  },
})

const specifications: StrangerAttack = {
  name: 'OpenAPI with circular schemas',
  async prepare(place) {
    return times(8, (at) => async () => {
      const text = JSON.stringify(circular(400 + Math.floor(Math.random() * 100)))
      await either(place, at).ask('PUT', `/v1/orgs/${place.theirs}/openapi/circles-${at}`, { source: { text } })
      await wait(500)
    })
  },
}

const insertPage = (title: string, text: string): Json => ({
  operation: 'insert_page',
  title,
  document: { markdown: text },
})

const pages: StrangerAttack = {
  name: 'pathological markdown in pages',
  async prepare(place) {
    const spaces = await Promise.all(times(8, () => emptySpace(place)))
    let next = 0
    return spaces.map((space, at) => async () => {
      const kind = markdown[next++ % markdown.length]
      const changes = [insertPage('Heavy', kind?.make(500 * KIB) ?? '')]
      await either(place, at).ask('POST', `/v1/spaces/${space}/content`, { changes })
      await either(place, at).ask('GET', `/v1/spaces/${space}/content`)
    })
  },
}

const comments: StrangerAttack = {
  name: 'pathological markdown in comments',
  async prepare(place) {
    const spaces = await Promise.all(times(8, () => emptySpace(place)))
    let next = 0
    return spaces.map((space, at) => async () => {
      const body = { markdown: markdown[next++ % markdown.length]?.make(100 * KIB) ?? '' }
      await either(place, at).ask('POST', `/v1/spaces/${space}/comments`, { body })
      if (next % 8 === 0) await either(place, at).ask('GET', `/v1/spaces/${space}/comments?format=document`)
    })
  },
}

/** Deep front matter, wide tables and giant tables of contents: imported revisions that are read for the first time. */
const revisions: StrangerAttack = {
  name: 'hostile revisions',
  async prepare(place) {
    const wide = markdown.find(({ name }) => name === 'a wide table')
    const texts = (n: number): Record<string, string> => ({
      'SUMMARY.md': `# Table of contents\n\n* [Home](README.md)\n${summaries[n % summaries.length]?.make(MIB) ?? ''}`,
      'deep.md': `---\n${yaml[n % yaml.length]?.make(MIB) ?? ''}\n---\n# Deep ${n}\n`,
      'wide.md': `# Wide ${n}\n\n${wide?.make(MIB) ?? ''}\n`,
    })
    let next = 0
    return Promise.all(
      times(4, async (at) => {
        const remote = await place.remotes.createRepository(`hostile-${at}.git`, { files: texts(next++) })
        const by = either(place, at)
        const url = `/v1/spaces/${await emptySpace(place)}`
        return async (over: AbortSignal) => {
          await remote.commit(texts(next++))
          await by.ask('POST', `${url}/git/import`, { url: remote.url, ref: 'refs/heads/main' })
          for (let state = ''; state !== 'success' && state !== 'failure' && !over.aborted; await wait(100))
            state = (await by.must('GET', `${url}/git/info`)).state
          for (const path of ['/content', '/content/pages', '/links']) await by.ask('GET', `${url}${path}`)
        }
      }),
    )
  },
}

const searches: StrangerAttack = {
  name: 'search queries',
  async prepare(place) {
    const words = (n: number): string => times(2_000, (m) => `w${(n * 31 + m * 7) % 500}`).join(' ')
    const files = Object.fromEntries(times(400, (n) => [`p/${n}.md`, `# Page ${n}\n\n${words(n)}\n`]))
    const { url } = await place.pushed((base) => `${commitOf('refs/heads/main', base, files)}D SUMMARY.md\n`)
    return times(24, (at) => async () => {
      const query = encodeURIComponent(times(12, (n) => `w${(at * 17 + n * 29) % 500}`).join(' '))
      const scope = at % 3 ? url : `/v1/orgs/${place.theirs}`
      const { status } = await either(place, at).ask('GET', `${scope}/search?query=${query}&limit=50`)
      if (status === 429) await wait(1000)
    })
  },
}

/** Twelve levels of folders, each of which contains the next one ten times: 10¹² paths in a few kilobytes. */
const treeFilters: StrangerAttack = {
  name: 'tree filters',
  async prepare(place) {
    const { id, work } = await place.pushed((base) => commitOf('refs/heads/main', base, { 'a.md': 'a\n' }))
    let tree = await git(work, ['rev-parse', 'main^{tree}'])
    for (let level = 0; level < 12; level++)
      tree = await git(work, ['mktree'], times(10, (n) => `040000 tree ${tree}\td${n}\n`).join(''))
    const commit = await git(work, ['commit-tree', tree, '-p', 'main', '-m', 'x'])
    await runCommand('git', ['push', '--quiet', place.addressOf(id, either(place, 0)), `${commit}:main`], {
      cwd: work,
      env: hermeticEnv,
    })
    const filters = ['tree:12', 'combine:tree:9+blob:none', 'sparse:oid=main:a.md', 'blob:limit=1']
    return times(16, (at) => async () => {
      const origin = place.addressOf(id, either(place, at))
      const args = [
        '-c',
        'protocol.version=2',
        'fetch',
        '--quiet',
        `--filter=${filters[at % 4]}`,
        origin,
        `+refs/heads/main:refs/x/${at}`,
      ]
      await runCommand('git', args, { cwd: work, env: hermeticEnv })
      await wait(200)
    })
  },
}

/** Line by line, Git compares these for many seconds. Each merge is in another space. */
const comparisons: StrangerAttack = {
  name: 'comparison of huge files',
  async prepare(place) {
    const text = (seed: number): string => times(60_000, (n) => `line ${(n * seed) % 997} of a large page`).join('\n')
    const files = (seed: number): Record<string, string> => ({
      'README.md': `# Home\n\n${text(seed)}\n`,
      'data.txt': text(seed + 1),
    })
    return Promise.all(
      times(8, async (at) => {
        const by = either(place, at)
        const { id, url, work } = await place.pushed((base) => commitOf('refs/heads/main', base, files(3)))
        const sides = `${commitOf('refs/heads/topic', 'refs/heads/main^0', files(7))}${commitOf('refs/heads/main', 'refs/heads/main^0', files(11))}`
        await git(work, ['fast-import', '--quiet', '--force'], sides)
        await git(work, ['push', '--quiet', place.addressOf(id, by), 'topic:refs/for/main', 'main'])
        const own = `${url}/change-requests/${(await by.must('GET', `${url}/change-requests`)).items[0].id}`
        return async () => {
          for (const path of ['/changes', '/conflicts', '/content/pages']) await by.ask('GET', `${own}${path}`)
          await by.ask('POST', `${own}/merge`)
        }
      }),
    )
  },
}

const longHistories: StrangerAttack = {
  name: 'merge of two long histories',
  async prepare(place) {
    const history = (ref: string, from: string, seed: number): string =>
      times(1_500, (n) =>
        commitOf(ref, n === 0 ? from : '', { [`${n % 40}-${seed}.md`]: `# ${n}\n`, 'both.md': `${seed} ${n}\n` }),
      ).join('')
    const made = await Promise.all(
      times(3, () =>
        place.pushed(
          (base) => `${commitOf('refs/heads/main', base, { 'both.md': 'x\n' })}${history('refs/heads/main', '', 1)}`,
        ),
      ),
    )
    return Promise.all(
      made.map(async ({ id, url, work }, at) => {
        const by = either(place, at)
        await git(work, ['fast-import', '--quiet', '--force'], history('refs/heads/topic', 'refs/heads/main~1500', 2))
        await git(work, ['push', '--quiet', place.addressOf(id, by), 'topic:refs/for/main'])
        const own = `${url}/change-requests/${(await by.must('GET', `${url}/change-requests`)).items[0].id}`
        return async () => {
          await by.ask('POST', `${own}/update`)
          for (const path of ['/conflicts', '/changes']) await by.ask('GET', `${own}${path}`)
          await by.ask('POST', `${own}/merge`)
        }
      }),
    )
  },
}

/** No attack: the figures to compare with. */
const noAttack: StrangerAttack = { name: 'no attack', prepare: async () => [] }

export const strangerAttacks: readonly StrangerAttack[] = [
  noAttack,
  slowPushes,
  slowFetches,
  flood,
  stalledHost,
  printing,
  specifications,
  pages,
  comments,
  revisions,
  searches,
  treeFilters,
  comparisons,
  longHistories,
]
