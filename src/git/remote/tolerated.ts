/**
 * Faults that old tools left in real histories and that are harmless; large Git hosts accept them too. Everything else that
 * `fsck` reports is an error, for example `.git` or `..` in a tree, unsorted or duplicate entries, and dangerous `.gitmodules`.
 */
export const TOLERATED = [
  'zeroPaddedFilemode',
  'zeroPaddedDate',
  'badTimezone',
  'missingSpaceBeforeDate',
  'missingSpaceBeforeEmail',
  'missingNameBeforeEmail',
  'missingEmail',
] as const
