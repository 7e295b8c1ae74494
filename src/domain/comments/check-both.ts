/** Reports errors in a comment's text and in its other fields as a single 400. */
import { badRequest, ServiceError } from '../../kernel/errors.js'

const isInvalid = (reason: unknown): reason is ServiceError =>
  reason instanceof ServiceError && reason.code === 'bad-request'

/** Runs two checks of one request and returns both results, or throws one 400 with the violations of both. */
export async function checkBoth<A, B>(first: () => A | Promise<A>, second: () => B | Promise<B>): Promise<[A, B]> {
  const [a, b] = await Promise.allSettled([(async () => first())(), (async () => second())()])
  if (a.status === 'fulfilled' && b.status === 'fulfilled') return [a.value, b.value]
  const reasons: unknown[] = [a, b].flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  for (const reason of reasons) if (!isInvalid(reason)) throw reason
  const invalid = reasons.filter(isInvalid)
  throw badRequest(
    invalid.map(({ message }) => message).join(' '),
    invalid.flatMap(({ extra }) => extra.details ?? []),
  )
}
