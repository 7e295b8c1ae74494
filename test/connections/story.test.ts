import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { git } from '../support/hermetic-git.js'
import { suiteWith } from '../support/suite.js'
import { POLL_MS, QUIET_MS, type Repository, startConnected } from './connected.js'

/** `CONNECTION_STEPS=2000 npm test -- connections/story` plays a long one, `CONNECTION_SEED` another one. */
const STEPS = Number(process.env.CONNECTION_STEPS ?? 24)
const SEED = Number(process.env.CONNECTION_SEED ?? 1)
/** After so many steps the story waits until both sides have to be in step. */
const CHECK_EVERY = 12

const [test, here] = await suiteWith('connections: a two-sided story', () => startConnected())

type Step = 'write' | 'commit' | 'edit' | 'quiet' | 'poll' | 'restart' | 'break' | 'pause'
const steps: [number, Step][] = [
  [6, 'write'],
  [6, 'commit'],
  [3, 'edit'],
  [4, 'quiet'],
  [4, 'poll'],
  [1, 'restart'],
  [2, 'break'],
  [1, 'pause'],
]

/** What people did, and where it must be in the end: each text once, on both sides. */
const texts = new Map<string, string>()

async function play(step: Step, number: number, { space, base, theirs }: { space: string; base: string; theirs: Repository }): Promise<void> {
  const { admin } = here.service
  const { behaviour } = here.remotes
  if (step === 'write') {
    await here.write(space, `Ours ${number}`, `# Ours ${number}\n`)
    texts.set(`ours-${number}.md`, `# Ours ${number}`)
  }
  if (step === 'commit') {
    await theirs.commit({ [`theirs-${number}.md`]: `# Theirs ${number}\n` })
    texts.set(`theirs-${number}.md`, `# Theirs ${number}`)
  }
  if (step === 'edit') {
    const old = [...texts.keys()].filter((path) => path.startsWith('theirs-')).at(-1)
    if (old === undefined) return
    await theirs.commit({ [old]: `# Again ${number}\n` })
    texts.set(old, `# Again ${number}`)
  }
  if (step === 'quiet') await here.forward(QUIET_MS)
  if (step === 'poll') await here.forward(POLL_MS * 1.2)
  if (step === 'restart') await here.service.restart()
  if (step === 'break') {
    const way = number % 4
    if (way === 0) behaviour.losePushResponses = true
    if (way === 1) behaviour.cutAfter = 200
    if (way === 2) behaviour.pushStatus = 500
    if (way === 3) behaviour.auth = { username: 'other', password: 'other' }
    await here.forward(POLL_MS * 1.2)
    for (const name of ['losePushResponses', 'cutAfter', 'pushStatus', 'auth'] as const) delete behaviour[name]
  }
  if (step === 'pause') {
    await admin.call('post', `${base}/pause`).expect(200)
    await here.forward(POLL_MS)
    await admin.call('post', `${base}/resume`).expect(200)
  }
}

test(
  `${STEPS} steps on both sides, and nobody calls import or export`,
  async () => {
    const [space, theirs] = [await here.space(), await here.repository({ 'README.md': '# Home\n' })]
    const { base } = await here.connect(space, { url: theirs.url })
    const [story] = fc.sample(
      fc.array(fc.oneof(...steps.map(([weight, step]) => ({ weight, arbitrary: fc.constant(step) }))), { minLength: STEPS, maxLength: STEPS }),
      {
        seed: SEED,
        numRuns: 1,
      },
    ) as [Step[]]
    for (const [number, step] of story.entries()) {
      await play(step, number, { space, base, theirs })
      if ((number + 1) % CHECK_EVERY !== 0 && number + 1 !== story.length) continue
      for (let times = 0; times < 3; times++) await here.forward(4_500_000)
      const files = await here.files(space)
      assert.equal(await here.remoteFiles(theirs), files, `in step after step ${number}`)
      for (const [path, text] of texts) assert.is(files[path], text, `${path} after step ${number}`)
      assert.is((await here.get(base)).failure, undefined)
    }
    await git(theirs.path, ['fsck', '--strict', '--full'])
  },
  { timeoutMs: 60_000 * Math.max(5, STEPS) },
)

test.run()
