/** Parses push requests and builds their status reports (gitprotocol-pack). */
import type { PushedRef } from '../../domain/git-door/push.js'
import type { PushOptions } from '../../domain/git-door/push-request.js'
import type { RefCommand } from '../../domain/git-door/push-targets.js'
import { BadPktLine, FLUSH, PktReader, pktLine, sideBand } from '../../git/index.js'
import type { CommitId } from '../../kernel/ids.js'
import { NO_OBJECT } from './advertisement.js'
import { asOid } from '../../kernel/ids.js'

const MAX_COMMANDS = 100
const MAX_COMMAND_BYTES = 256 * 1024
const MAX_TITLE_LENGTH = 100
const MAX_DESCRIPTION_LENGTH = 10_000

/** A parsed push request. */
export interface PushRequest {
  commands: RefCommand[]
  /** Capabilities of the client. */
  capabilities: ReadonlySet<string>
  options: PushOptions
  /** The problem with the push options, shown to the user; null = none. */
  problem: string | null
  /** The pack with the objects. */
  pack: AsyncIterable<Uint8Array>
}

/** Reads a push up to its pack. Throws `BadPktLine` with a message for the client. */
export async function readPush(body: AsyncIterable<Uint8Array>): Promise<PushRequest> {
  const exceeded = (): BadPktLine =>
    new BadPktLine(
      `The commands of the push exceed the limit of ${MAX_COMMAND_BYTES} bytes. Push fewer refs at a time.`,
    )
  const reader = new PktReader(body, { bytes: MAX_COMMAND_BYTES, exceeded })
  const commands: RefCommand[] = []
  let capabilities: ReadonlySet<string> = new Set()
  for (let line = await reader.line(); line !== null; line = await reader.line()) {
    // A shallow clone announces its boundary here. Completeness is checked after the push has arrived.
    if (line.subarray(0, 8).toString('latin1') === 'shallow ') continue
    const end = line.indexOf(0)
    if (end >= 0)
      capabilities = new Set(
        line
          .toString('utf8', end + 1)
          .trim()
          .split(' '),
      )
    commands.push(commandOf(line.toString('utf8', 0, end < 0 ? line.length : end)))
    if (commands.length > MAX_COMMANDS)
      throw new BadPktLine(`The push contains more than ${MAX_COMMANDS} refs. Push fewer refs at a time.`)
  }
  // The capability is not offered. A client that uses it anyway must not get a partial push.
  if (capabilities.has('atomic')) throw new BadPktLine('Atomic pushes are not supported. Push without --atomic.')
  const { options, problem } = capabilities.has('push-options')
    ? await readOptions(reader)
    : { options: {}, problem: null }
  return { commands, capabilities, options, problem, pack: reader.rest() }
}

function commandOf(line: string): RefCommand {
  const [, from, to, ref] = /^([0-9a-f]{40}) ([0-9a-f]{40}) (refs\/.{1,1000})$/.exec(line) ?? []
  if (from === undefined || to === undefined || ref === undefined)
    throw new BadPktLine('A command of the push does not have the form "<old> <new> <ref>".')
  return { ref, from: oidOf(from), to: oidOf(to) }
}

const oidOf = (text: string): CommitId | null => (text === NO_OBJECT ? null : asOid(text))

async function readOptions(reader: PktReader): Promise<Pick<PushRequest, 'options' | 'problem'>> {
  const found = new Map<string, string>()
  let problem: string | null = null
  for (let line = await reader.line(); line !== null; line = await reader.line()) {
    const text = line.toString('utf8')
    const [key = '', ...value] = text.split('=')
    if (!['title', 'description', 'topic'].includes(key) || value.length === 0)
      problem ??= `Unknown push option ${JSON.stringify(text.slice(0, 100))}. Use title=…, description=… or topic=….`
    found.set(key, value.join('='))
  }
  const [title = '', description = ''] = [found.get('title'), found.get('description')]
  if ([...title].length > MAX_TITLE_LENGTH)
    problem ??= `The title has more than ${MAX_TITLE_LENGTH} characters. Shorten it.`
  if (description.length > MAX_DESCRIPTION_LENGTH)
    problem ??= `The description has more than ${MAX_DESCRIPTION_LENGTH} characters. Shorten it.`
  return { options: Object.fromEntries(found), problem }
}

/**
 * Builds the response to a push. `unpacked` is `ok`, or the reason why the objects were rejected. `said` contains lines
 * for the user.
 */
export function report(
  request: Pick<PushRequest, 'capabilities'>,
  unpacked: string,
  refs: readonly PushedRef[],
  said: readonly string[],
): Buffer {
  const { capabilities } = request
  const second = capabilities.has('report-status-v2')
  const lines = [
    pktLine(`unpack ${oneLine(unpacked)}\n`),
    ...refs.flatMap((one) => linesOf(one, second).map((line) => pktLine(line))),
    FLUSH,
  ]
  const status = second || capabilities.has('report-status') ? Buffer.concat(lines) : Buffer.alloc(0)
  if (!capabilities.has('side-band-64k')) return status
  const text =
    said.length === 0 ? Buffer.alloc(0) : sideBand(2, Buffer.from(said.map((line) => `${printable(line)}\n`).join('')))
  return Buffer.concat([text, sideBand(1, status), FLUSH])
}

function linesOf(pushed: PushedRef, second: boolean): string[] {
  if (!pushed.ok) return [`ng ${pushed.ref} ${oneLine(pushed.reason)}\n`]
  const { ref, became, from, to } = pushed
  if (!second || became === ref) return [`ok ${ref}\n`]
  return [
    `ok ${ref}\n`,
    `option refname ${became}\n`,
    `option old-oid ${from ?? NO_OBJECT}\n`,
    `option new-oid ${to}\n`,
  ]
}

const MAX_REASON_LENGTH = 2000

const oneLine = (text: string): string => printable(text.replaceAll(/\s+/g, ' ').trim()).slice(0, MAX_REASON_LENGTH)
/** Replaces control characters, because the text is shown in a terminal. */
const printable = (text: string): string => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?')
