import { RemoteError } from '../errors.js'

/** Throws `RemoteError` 'missing-ref' unless `ref` is a full, well-formed name (git-check-ref-format), which no option or pattern is. */
export function requireRefName(ref: string): void {
  const bad =
    !/^refs\/[^\u0000-\u0020\u007f~^:?*[\\]+$/.test(ref) ||
    ref.length > 1024 ||
    /\.\.|@\{|\/\/|\/$|\.$/.test(ref) ||
    ref.split('/').some((part) => part.startsWith('.') || part.startsWith('-') || part.endsWith('.lock'))
  if (bad) throw new RemoteError('missing-ref', 'The ref is not a valid name such as "refs/heads/main".')
}
