import type { MigrationView } from '../../store/index.js'

/** IDs in one document. */
const AT_ONCE = 1_000

interface Stream {
  first: number
  ids: string[]
}

/**
 * For streams of events that an earlier release kept as documents: lists their IDs by sequence, which they do not say
 * themselves, and forgets where streams go on, but for those that have no event any more. The store moves the events.
 */
export function listEarlierEvents(view: MigrationView): void {
  const streams = new Map<string, { sequence: number; id: string }[]>()
  for (const { id, organization, sequence } of view.documents('events')) {
    const stream = streams.get(String(organization)) ?? []
    stream.push({ sequence: Number(sequence), id })
    streams.set(String(organization), stream)
  }
  for (const [organization, stream] of streams) {
    stream.sort((a, b) => a.sequence - b.sequence)
    for (const { first, ids } of listsOf(stream)) view.put('earlier-events', { id: `${organization}/${first}`, organization, first, ids })
  }
  for (const { id, next } of view.documents('event-streams')) {
    if ((streams.get(id)?.at(-1)?.sequence ?? 0) + 1 >= Number(next)) view.remove('event-streams', id)
  }
}

/** Lists of IDs that follow each other without a gap. */
function listsOf(stream: readonly { sequence: number; id: string }[]): Stream[] {
  const lists: Stream[] = []
  for (const { sequence, id } of stream) {
    const last = lists.at(-1)
    if (last && last.ids.length < AT_ONCE && last.first + last.ids.length === sequence) last.ids.push(id)
    else lists.push({ first: sequence, ids: [id] })
  }
  return lists
}
