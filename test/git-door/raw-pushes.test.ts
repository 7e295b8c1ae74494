import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { createLog } from '../../src/kernel/log.js'
import { git, gitBytes } from '../support/hermetic-git.js'
import { startService } from '../support/service.js'
import { suiteWith } from '../support/suite.js'
import { Clone, newSpace } from './fixture.js'
import {
  type Answer,
  basic,
  FLUSH,
  idOf,
  offsetDelta,
  packOf,
  pkt,
  plain,
  refDelta,
  send,
  serving,
  varint,
  ZERO,
} from './raw.js'

const KIB = 1024
const logged: string[] = []
const log = createLog({ level: 'debug', destination: { write: (line: string) => void logged.push(line) } })
const [test, here] = await suiteWith('raw pushes', () =>
  startService({
    env: {
      BINDERY_BLOB_LIMIT_BYTES: String(8 * KIB),
      BINDERY_PACK_LIMIT_BYTES: String(256 * KIB),
      BINDERY_FOLDER_LIMIT_ENTRIES: '50',
    },
    overrides: { log },
  }),
)

const space = await newSpace(here)
const writer = await here.caller('edit')
const clone = await Clone.of(here, space, writer)
const repository = join(here.dir, 'repos', `${space}.git`)
const main = await clone.git('rev-parse', 'HEAD')
const good = await clone.commit({ 'guide.md': '# Guide\n\nPushed by hand.\n' })
const goodPack = await gitBytes(clone.dir, ['pack-objects', '--stdout', '--revs', '--quiet'], `${good}\n^${main}\n`)
const CAPABILITIES = 'report-status-v2 side-band-64k push-options object-format=sha1 agent=hand'
const commandOf = (old: string, to: string, ref: string, capabilities: string | null = CAPABILITIES) =>
  pkt(`${old} ${to} ${ref}${capabilities === null ? '' : `\0 ${capabilities}`}`)
/** One command for one ref with the pack, and no options. */
const pushOf = (commands: Buffer[], pack: Buffer, options: Buffer = FLUSH) =>
  Buffer.concat([...commands, FLUSH, options, pack])
const forMain = [commandOf(ZERO, good, 'refs/for/main')]

const push = (body: Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
  send(`${here.url}/git/${space}.git/git-receive-pack`, {
    headers: {
      'Content-Type': 'application/x-git-receive-pack-request',
      Authorization: basic('git', writer.token),
      ...headers,
    },
    body,
  })

/** A commit on main whose tree holds these lines of `git mktree`, as a pack. */
async function commitOfTree(lines: string, options: string[] = []): Promise<{ commit: string; pack: Buffer }> {
  const kept = (await clone.git('ls-tree', main)).split('\n').map((line) => `${line}\n`)
  const tree = await git(clone.dir, ['mktree', '--missing', ...options], kept.join('') + lines)
  const commit = await git(clone.dir, ['commit-tree', tree, '-p', main, '-m', 'By hand'])
  return {
    commit,
    pack: await gitBytes(
      clone.dir,
      ['pack-objects', '--stdout', '--revs', '--quiet', '--missing=allow-any'],
      `${commit}\n^${main}\n`,
    ),
  }
}
const blobOf = (text: string) => git(clone.dir, ['hash-object', '-w', '--stdin'], text)

const refs = () => git(repository, ['for-each-ref', '--format=%(refname) %(objectname)'])
const changeRequests = async () =>
  (await here.admin.call('get', `/v1/spaces/${space}/change-requests?status=open&limit=1000`).expect(200)).body.items
    .length

/** Sends a request, and checks that nothing moved, nothing was created, and the response reports the error. */
async function refused(
  name: string,
  body: Buffer,
  says: RegExp,
  headers: Record<string, string> = {},
): Promise<string | null> {
  const before = await refs()
  const { status, text } = await push(body, headers)
  const told = `${name}: ${status} ${text.slice(0, 400)}`
  if (process.env.TEST_TELL) console.log(told)
  if (status >= 500) return `${told}\n   expected no fault of the server`
  if ((await refs()) !== before) return `${told}\n   refs moved`
  if (text.includes(writer.token)) return `${told}\n   the token is in the response`
  return says.test(`${status} ${text}`) ? null : `${told}\n   expected ${says}`
}

type Row = readonly [name: string, body: Buffer, says: RegExp, headers?: Record<string, string>]
async function table(rows: readonly Row[]): Promise<void> {
  const failures: (string | null)[] = []
  for (const row of rows) failures.push(await refused(...row))
  assert.equal(failures.filter(Boolean), [])
}

test('malformed commands are rejected', async () => {
  const huge = Array.from({ length: 101 }, (_, index) =>
    commandOf(ZERO, good, `refs/for/main/t${index}`, index === 0 ? CAPABILITIES : null),
  )
  const long = `refs/for/main/${'x'.repeat(60_000)}`
  await table([
    ['nothing', Buffer.alloc(0), /^200 $/],
    ['half a length', Buffer.from('00'), /^400/],
    ['a length that is no number', Buffer.from('00zz'), /^400/],
    ['a length with a sign', Buffer.from('-0f8'), /^400/],
    ['delimiter', Buffer.from('0001'), /^400/],
    ['end of the response', Buffer.from('0002'), /^400/],
    ['a length of 3', Buffer.from('0003'), /^400/],
    ['longer than a line may be', Buffer.concat([Buffer.from('ffff'), Buffer.alloc(70_000, 120)]), /^400/],
    ['a line without its end', Buffer.from('0100short'), /^400/],
    ['an empty line', Buffer.concat([Buffer.from('0004'), FLUSH]), /^400/],
    [
      'IDs of another length',
      Buffer.concat([pkt(`${ZERO.slice(1)} ${good} refs/for/main\0 ${CAPABILITIES}`), FLUSH]),
      /^400/,
    ],
    [
      'IDs in capitals',
      Buffer.concat([pkt(`${ZERO} ${good.toUpperCase()} refs/for/main\0 ${CAPABILITIES}`), FLUSH, FLUSH, goodPack]),
      /^400|ng refs|^200.*unpack/,
    ],
    ['a list without an end', Buffer.concat(forMain), /unpack (?!ok)/],
    ['101 commands', pushOf(huge, goodPack), /^4\d\d|ng |100/],
    [
      'a push certificate',
      pushOf(
        [pkt(`push-cert\0 ${CAPABILITIES}\n`), pkt('certificate version 0.1\n'), pkt('push-cert-end\n')],
        goodPack,
      ),
      /^400|^422|ng/,
    ],
    ['a name of 60,000 characters', pushOf([commandOf(ZERO, good, long)], goodPack), /^400|ng refs/],
    [
      'SHA-256',
      pushOf([commandOf(ZERO, good, 'refs/for/main', 'report-status object-format=sha256')], goodPack),
      /^400|ng refs/,
    ],
    [
      'what it deletes was never there',
      pushOf([commandOf(ZERO, ZERO, 'refs/heads/x')], Buffer.alloc(0)),
      /ng refs|^400/,
    ],
    [
      '10,000 shallow lines',
      pushOf(
        [...Array.from({ length: 10_000 }, (_, i) => pkt(`shallow ${i.toString(16).padStart(40, '0')}`)), ...forMain],
        goodPack,
      ),
      /^[24]\d\d/,
    ],
  ])
})

test('invalid names of refs are rejected', async () => {
  const names = [
    'refs/heads/../../HEAD',
    'refs/heads/change-requests/..',
    'refs/heads/change-requests/007',
    'refs/heads/change-requests/0',
    'refs/heads/change-requests/-1',
    'refs/heads/change-requests/1e3',
    'refs/heads/change-requests/99999999999999999999',
    'refs/heads/change-requests/1/2',
    'refs/heads/change-requests',
    'refs/heads/main.lock',
    'refs/heads/main/',
    'refs/heads//main',
    'refs/heads/a b',
    'refs/heads/a\tb',
    'refs/heads/a\x1b[31mb',
    'refs/heads/a\nrefs/heads/main',
    'refs/heads/a\x7fb',
    'refs/heads/a~1',
    'refs/heads/@{u}',
    'refs/heads/.hidden',
    'refs/heads/',
    'refs/for/main/',
    'refs/for/',
    'refs/for',
    'refs/bindery/keep/x',
    'refs/tags/v1',
    'HEAD',
    'main',
    'config',
    '../../etc/passwd',
    '-delete',
    '',
  ]
  await table(
    names.map((name): Row => [JSON.stringify(name), pushOf([commandOf(ZERO, good, name)], goodPack), /^400|ng /]),
  )
  assert.is(await changeRequests(), 0)
})

test('malformed and incomplete packs are rejected', async () => {
  const cut = (bytes: number) => goodPack.subarray(0, bytes)
  const wrong = Buffer.from(goodPack)
  wrong.writeUInt8((wrong.at(-1) as number) ^ 1, wrong.length - 1)
  const torn = Buffer.from(goodPack)
  torn.writeUInt8((torn.at(40) as number) ^ 255, 40)
  const blob = Buffer.from('text')
  const delta = Buffer.concat([varint(4), varint(4), Buffer.from([4]), blob])
  const [a, b] = ['a'.repeat(40), 'b'.repeat(40)]
  const bomb = Buffer.concat([varint(4), varint(2 ** 40), Buffer.from([0x91, 0, 4])])
  const packs: [string, Buffer][] = [
    ['no pack', Buffer.alloc(0)],
    ['four bytes', cut(4)],
    ['only the header', cut(12)],
    ['half of it', cut(goodPack.length >> 1)],
    ['without the checksum', cut(goodPack.length - 20)],
    ['a wrong checksum', wrong],
    ['a torn object', torn],
    ['something else', Buffer.from('<html>')],
    ['version 9', packOf([plain('blob', blob)], 1, 9)],
    ['more objects than it has', packOf([plain('blob', blob)], 2)],
    ['2^31 objects', packOf([plain('blob', blob)], 2 ** 31)],
    ['2^32 - 1 objects', packOf([], 2 ** 32 - 1)],
    ['fewer objects than it has', packOf([plain('blob', blob), plain('blob', blob)], 1)],
    ['other objects', packOf([plain('blob', blob)])],
    ['empty', packOf([])],
    ['a size that is not true', packOf([plain('blob', blob, 5)])],
    ['a size of 2^50', packOf([plain('blob', blob, 2 ** 50)])],
    ['a missing base', packOf([refDelta(a, delta)])],
    ['a cycle of deltas', packOf([refDelta(a, delta), refDelta(b, delta)])],
    ['a delta on itself', packOf([offsetDelta(0, delta)])],
    ['a delta before the pack', packOf([offsetDelta(127, delta)])],
    ['a delta that makes 2^40 bytes', packOf([plain('blob', blob), refDelta(idOf('blob', blob), bomb)])],
    [
      'a delta that copies beyond its base',
      packOf([
        plain('blob', blob),
        refDelta(idOf('blob', blob), Buffer.concat([varint(4), varint(9), Buffer.from([0x91, 0, 9])])),
      ]),
    ],
    ['more than the limit', packOf(Array.from({ length: 70 }, () => plain('blob', randomBytes(4 * KIB))))],
    ['a file over the limit', packOf([plain('blob', Buffer.alloc(64 * KIB))])],
  ]
  await table(packs.map(([name, pack]): Row => [name, pushOf(forMain, pack), /^4\d\d|unpack (?!ok)|ng refs/]))
  assert.is(await changeRequests(), 0)
})

test('trees with dangerous entries are rejected', async () => {
  const blob = await blobOf('x\n')
  const inner = await git(clone.dir, ['mktree'], `100644 blob ${blob}\tconfig\n`)
  const [large, link] = [await blobOf('y'.repeat(9 * KIB)), await blobOf('/etc/passwd')]
  const trees: [string, string][] = [
    ['.git', `040000 tree ${inner}\t.git\n`],
    ['.GIT', `040000 tree ${inner}\t.GIT\n`],
    ['git~1', `040000 tree ${inner}\tgit~1\n`],
    ['..', `040000 tree ${inner}\t..\n`],
    ['a file over the limit', `100644 blob ${large}\tlarge.md\n`],
    ['a missing file', `100644 blob ${'c'.repeat(40)}\tgone.md\n`],
    ['names that differ by case alone', `100644 blob ${blob}\tTwin.md\n100644 blob ${blob}\ttwin.md\n`],
    ['.gitmodules as a link', `120000 blob ${link}\t.gitmodules\n`],
  ]
  const rows: Row[] = []
  for (const [name, lines] of trees) {
    const { commit, pack } = await commitOfTree(lines)
    rows.push([name, pushOf([commandOf(ZERO, commit, 'refs/for/main')], pack), /unpack (?!ok)|ng refs|^4\d\d/])
  }
  await table(rows)
  assert.is(await changeRequests(), 0)
})

test('the error for a folder with too many entries names the folder and the limit', async () => {
  const blob = await blobOf('x\n')
  const flat = (count: number) =>
    git(clone.dir, ['mktree'], Array.from({ length: count }, (_, n) => `100644 blob ${blob}\tp${n}.md\n`).join(''))
  const rows: Row[] = []
  for (const [name, lines] of [
    ['a folder', `040000 tree ${await flat(51)}\tflat\n`],
    [
      'a folder in a folder',
      `040000 tree ${await git(clone.dir, ['mktree'], `040000 tree ${await flat(60)}\tflat\n`)}\tdocs\n`,
    ],
  ] as const) {
    const { commit, pack } = await commitOfTree(lines)
    const folder = name === 'a folder' ? 'flat' : 'docs/flat'
    rows.push([
      name,
      pushOf([commandOf(ZERO, commit, 'refs/for/main')], pack),
      new RegExp(`unpack The folder "${folder}" of your push has more than 50 files and folders. Divide it`),
    ])
  }
  await table(rows)
  const { commit, pack } = await commitOfTree(`040000 tree ${await flat(50)}\tflat\n`)
  assert.match(
    (await push(pushOf([commandOf(ZERO, commit, 'refs/for/main/flat')], pack))).text,
    'ok refs/for/main/flat',
  )
  const [{ id }] = (await here.admin.call('get', `/v1/spaces/${space}/change-requests?status=open`).expect(200)).body
    .items
  await here.admin.call('patch', `/v1/spaces/${space}/change-requests/${id}`, { status: 'archived' }).expect(200)
})

test('objects that git fsck --strict rejects are rejected, except modes and headers of old tools', async () => {
  const blob = await blobOf('x\n')
  const entry = (mode: string, name: string, oid = blob) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')])
  const write = (type: string, body: Buffer | string) =>
    git(clone.dir, ['hash-object', '-t', type, '-w', '--stdin', '--literally'], body)
  const tree = await clone.git('rev-parse', `${good}^{tree}`)
  const right = 'Ada <ada@example.org> 1700000000 +0000'
  const commit = (of: string, author = right, committer = right) =>
    write('commit', `tree ${of}\nparent ${main}\nauthor ${author}\ncommitter ${committer}\n\nBy hand\n`)
  const withTree = async (...entries: Buffer[]) => commit(await write('tree', Buffer.concat(entries)))
  const inner = await write('tree', entry('100644', 'b.md'))
  const commits: [string, string, RegExp][] = [
    ['mode 0', await withTree(entry('0', 'a.md')), /zeroPaddedFilemode|badFilemode/],
    ['mode 7', await withTree(entry('7', 'a.md')), /badFilemode/],
    ['a mode with a zero before it', await withTree(entry('040000', 'a', inner)), /zeroPaddedFilemode/],
    ['no mail address', await commit(tree, 'Ada 1700000000 +0000'), /missingEmail/],
    [
      'no space before the mail address',
      await commit(tree, 'Ada<ada@example.org> 1700000000 +0000'),
      /missingSpaceBeforeEmail/,
    ],
    ['no name', await commit(tree, '<ada@example.org> 1700000000 +0000'), /missingNameBeforeEmail/],
    [
      'no space before the date',
      await commit(tree, right, 'Ada <ada@example.org>1700000000 +0000'),
      /missingSpaceBeforeDate/,
    ],
    ['a zero before the date', await commit(tree, right, 'Ada <ada@example.org> 01700000000 +0000'), /zeroPaddedDate/],
    [
      'a date of 22 digits',
      await commit(tree, right, 'Ada <ada@example.org> 9999999999999999999999 +0000'),
      /badDateOverflow/,
    ],
    ['a date before 1970', await commit(tree, 'Ada <ada@example.org> -5 +0000'), /badDate/],
    ['a time zone of two digits', await commit(tree, 'Ada <ada@example.org> 1700000000 +02'), /badTimezone/],
  ]
  const rows: Row[] = []
  for (const [name, oid, says] of commits) {
    const pack = await gitBytes(clone.dir, ['pack-objects', '--stdout', '--revs', '--quiet'], `${oid}\n^${main}\n`)
    rows.push([
      name,
      pushOf([commandOf(ZERO, oid, 'refs/for/main')], pack),
      new RegExp(`unpack The push was rejected[^]*${says.source}`),
    ])
  }
  await table(rows)
  assert.is(await changeRequests(), 0)
})

test('headers, options and capabilities that do not match are rejected', async () => {
  const body = pushOf(forMain, goodPack)
  const bomb = gzipSync(Buffer.concat([...forMain, FLUSH, FLUSH, Buffer.alloc(8 * KIB * KIB)]))
  await table([
    ['a bomb', bomb, /^4\d\d|unpack (?!ok)|ng/, { 'Content-Encoding': 'gzip' }],
    ['gzip that is none', body, /^4\d\d/, { 'Content-Encoding': 'gzip' }],
    ['gzip that is cut', gzipSync(body).subarray(0, 200), /^4\d\d|unpack (?!ok)|ng/, { 'Content-Encoding': 'gzip' }],
    ['an unknown encoding', body, /^4\d\d/, { 'Content-Encoding': 'br' }],
    ['gzip twice', gzipSync(gzipSync(body)), /^4\d\d/, { 'Content-Encoding': 'gzip, gzip' }],
    ['another type', body, /^4\d\d/, { 'Content-Type': 'application/x-git-upload-pack-request' }],
    ['a form', body, /^4\d\d/, { 'Content-Type': 'application/x-www-form-urlencoded' }],
    [
      'options without the capability',
      pushOf(
        [commandOf(ZERO, good, 'refs/for/main', 'report-status')],
        goodPack,
        Buffer.concat([pkt('topic=x'), FLUSH]),
      ),
      /^4\d\d|unpack (?!ok)|ng/,
    ],
    ['options without an end', Buffer.concat([...forMain, FLUSH, pkt('topic=x')]), /^4\d\d|unpack (?!ok)/],
    [
      'a topic of 10,000 characters',
      pushOf(forMain, goodPack, Buffer.concat([pkt(`topic=${'t'.repeat(10_000)}`), FLUSH])),
      /^4\d\d|ng/,
    ],
    [
      'a title of 101 characters',
      pushOf(forMain, goodPack, Buffer.concat([pkt(`title=${'t'.repeat(101)}`), FLUSH])),
      /^4\d\d|ng/,
    ],
    [
      '30,000 options',
      pushOf(
        forMain,
        goodPack,
        Buffer.concat([...Array.from({ length: 30_000 }, (_, i) => pkt(`topic=t${i}`)), FLUSH]),
      ),
      /^4\d\d|ng/,
    ],
  ])
  assert.is(await changeRequests(), 0)
})

test('a ref cannot appear twice, and an atomic push moves all refs or none', async () => {
  const other = await git(clone.dir, ['commit-tree', `${good}^{tree}`, '-p', main, '-m', 'Other'])
  const pack = await gitBytes(
    clone.dir,
    ['pack-objects', '--stdout', '--revs', '--quiet'],
    `${good}\n${other}\n^${main}\n`,
  )
  const twice = [commandOf(main, good, 'refs/heads/main'), commandOf(main, other, 'refs/heads/main', null)]
  const before = await refs()
  const { status, text } = await push(pushOf(twice, pack))
  const head = await git(repository, ['rev-parse', 'main'])
  assert.ok(status === 400 || (text.match(/ng refs\/heads\/main/g) ?? []).length >= 1, `${status} ${text}`)
  if (head === main) assert.is(await refs(), before)
  else assert.is(head, good)

  const atomic = [
    commandOf(ZERO, other, 'refs/for/main/atomic', `${CAPABILITIES} atomic`),
    commandOf(ZERO, good, 'refs/tags/never', null),
  ]
  const had = await changeRequests()
  const answer = await push(pushOf(atomic, pack))
  assert.ok(
    answer.status === 400 || /ng refs\/for\/main\/atomic/.test(answer.text),
    `atomic: ${answer.status} ${answer.text}`,
  )
  assert.is(await changeRequests(), had)
})

test('a token must be sent in a supported way', async () => {
  const url = `${here.url}/git/${space}.git/info/refs?service=git-receive-pack`
  const ask = async (authorization: string | string[] | undefined, extra = '') => {
    const { status, text } = await send(url + extra, {
      method: 'GET',
      headers: authorization === undefined ? {} : { Authorization: authorization },
    })
    assert.not.ok(text.includes(writer.token), 'the token is in the response')
    return status
  }
  const encoded = (text: string) => `Basic ${Buffer.from(text, 'latin1').toString('base64')}`
  const table: [given: string | undefined, status: number][] = [
    [undefined, 401],
    ['Basic', 401],
    ['Basic ', 401],
    ['Basic ====', 401],
    ['Basic \x80\x81', 401],
    [encoded(''), 401],
    [encoded(':'), 401],
    [encoded('git'), 401],
    [encoded(`git:${writer.token}\0`), 401],
    [encoded(`git:${writer.token.slice(0, -1)}`), 401],
    [encoded(`git:${'x'.repeat(5000)}`), 401],
    [encoded(`${writer.token}:wrong`), 401],
    [encoded(`:${writer.token}`), 200],
    [encoded(`git:${writer.token}`).replace('Basic', 'bAsIc'), 200],
    [`Bearer ${writer.token}`, 200],
    [`Digest username="git", response="${writer.token}"`, 401],
  ]
  const got: [string | undefined, number][] = []
  for (const [given] of table) got.push([given, await ask(given)])
  assert.equal(got, table)
  assert.is(await ask(undefined, `&token=${writer.token}`), 401)
  assert.is(await ask(undefined, `&access_token=${writer.token}`), 401)
})

test('a normal push works after all malformed ones, and no secret is logged', async () => {
  const behind = Buffer.concat([goodPack, goodPack])
  const answer = await push(pushOf([commandOf(ZERO, good, 'refs/for/main/last')], behind))
  assert.match(answer.text, /ok refs\/for\/main\/last|has these commits/)
  assert.is(await git(repository, ['fsck', '--strict', '--full', '--no-dangling', '--no-progress']), '')
  const left = readdirSync(here.dir, { recursive: true, encoding: 'utf8' }).filter(
    (name) => !name.startsWith('work-') && /tmp_|quarantine\/.|incoming|\.lock$/.test(name),
  )
  assert.equal(left, [])
  assert.equal(serving(), [])
  const said = logged.join('')
  assert.ok(said.includes('git-receive-pack'), 'pushes are logged')
  for (const secret of [writer.token, Buffer.from(`git:${writer.token}`).toString('base64')])
    assert.not.ok(said.includes(secret), 'the token was logged')
})

test.run()
