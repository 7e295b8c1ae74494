/**
 * Harmless faults that old tools left in existing histories. Large Git hosts accept them too. Every other fault that
 * `fsck` reports is an error, for example `.git` or `..` in a tree, unsorted or duplicate entries, and dangerous
 * `.gitmodules`.
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
