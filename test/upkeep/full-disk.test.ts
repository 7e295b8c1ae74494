import { execFileSync } from 'node:child_process'
import { closeSync, cpSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { createLog } from '../../src/kernel/log.js'
import { startService, type TestService } from '../support/service.js'
import { suite } from '../support/suite.js'

// @embedded-only: plain-git
const test = suite<object>('full and read-only disks')

/** A separate file system in memory; null if this process may not mount one. */
function smallDisk(): {
  dir: string
  fill(): void
  makeRoom(): void
  remount(how: 'ro' | 'rw'): void
  unmount(): void
} | null {
  const dir = mkdtempSync(join(tmpdir(), 'small-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', dir], { stdio: 'ignore' })
  } catch {
    rmSync(dir, { recursive: true })
    return null
  }
  const filler = join(dir, 'filler')
  return {
    dir,
    fill() {
      const file = openSync(filler, 'w')
      try {
        for (const size of [1024 * 1024, 4096]) {
          try {
            for (;;) writeSync(file, Buffer.alloc(size))
          } catch (error) {
            assert.is((error as NodeJS.ErrnoException).code, 'ENOSPC')
          }
        }
      } finally {
        closeSync(file)
      }
    },
    makeRoom: () => rmSync(filler, { force: true }),
    remount: (how) => void execFileSync('mount', ['-o', `remount,${how}`, dir]),
    unmount() {
      execFileSync('umount', ['-l', dir])
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

const lines: { level: string; msg: string; space?: string }[] = []
const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(JSON.parse(line)) } })

const edit = (here: TestService, space: string, title: string) => {
  const changes = [
    { operation: 'insert_page', title, document: { markdown: `About ${title}. ${'Many words. '.repeat(500)}` } },
  ]
  return here.admin.call('post', `/v1/spaces/${space}/content`, { changes, message: title })
}

/** Resolves when writing works again. */
async function untilWritable(here: TestService, space: string): Promise<void> {
  const isReady = async (): Promise<boolean> => (await fetch(`${here.url}/readyz`)).status === 200
  while ((await edit(here, space, `At ${Date.now()}`)).status !== 200 || !(await isReady()))
    await new Promise((done) => setTimeout(done, 50))
}

async function expectReadOnly(here: TestService, space: string, problem: RegExp): Promise<void> {
  lines.length = 0
  for (let n = 0; n < 3; n++) {
    const { status, body } = await edit(here, space, `Refused ${n}`)
    assert.is(status, 507, JSON.stringify(body))
    assert.match(body.error.message, problem)
    assert.not.match(body.error.message, /small-disk/, 'clients do not see paths')
  }
  const { body: created } = await here.admin
    .call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Refused' })
    .expect(507)
  assert.match(created.error.message, problem)
  assert.ok(lines.some(({ level, msg }) => level === 'error' && msg.includes('cannot store data')))
  const { body: pages } = await here.admin.call('get', `/v1/spaces/${space}/content/pages`).expect(200)
  assert.ok(pages.pages.length > 0)
  const ready = await fetch(`${here.url}/readyz`)
  assert.is(ready.status, 503)
  assert.match(((await ready.json()) as { missing: string[] }).missing.join(), problem)
}

const [full, readOnly] = [smallDisk(), smallDisk()]
if (full === null || readOnly === null) test.skip('this process may not mount a file system')
else {
  test.after(() => {
    full.unmount()
    readOnly.unmount()
  })

  test('a full disk: 507 and not ready, also after a restart, until there is room', async () => {
    const here = await startService({ dir: full.dir, overrides: { log } })
    const { body: space } = await here.admin
      .call('post', `/v1/orgs/${here.organization}/spaces`, { title: 'Space' })
      .expect(201)
    await edit(here, space.id, 'First').expect(200)
    full.fill()
    await expectReadOnly(here, space.id, /BINDERY_\w+_DIR: its disk is full/)
    lines.length = 0
    await here.restart()
    assert.ok(
      lines.some(({ level, msg }) => level === 'error' && /BINDERY_DATA_DIR: its disk is full.*read-only/.test(msg)),
    )
    await expectReadOnly(here, space.id, /BINDERY_\w+_DIR: its disk is full/)
    full.makeRoom()
    await untilWritable(here, space.id)
    await here.service.close()
  })

  test('a start on a read-only file system: 507 and not ready, until it can be written', async () => {
    const first = await startService()
    const { body: space } = await first.admin
      .call('post', `/v1/orgs/${first.organization}/spaces`, { title: 'Space' })
      .expect(201)
    await edit(first, space.id, 'First').expect(200)
    await first.service.close()
    for (const folder of ['data', 'repos'])
      cpSync(join(first.dir, folder), join(readOnly.dir, folder), { recursive: true })
    readOnly.remount('ro')
    const here = await startService({ dir: readOnly.dir, overrides: { log } })
    await expectReadOnly(here, space.id, /BINDERY_\w+_DIR: its file system is read-only/)
    readOnly.remount('rw')
    await untilWritable(here, space.id)
    await here.service.close()
    await first.close().catch(() => undefined)
  })
}

test.run()
