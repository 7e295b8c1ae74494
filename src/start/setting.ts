/** The declaration of a setting. */
import type { BaseValidator, ValidatorSpec } from 'envalid'

export const MIB = 1024 * 1024

/** One setting: its environment variable, default and check. */
export interface Setting<T> {
  name: string
  default: string
  description: string
  validator: () => ValidatorSpec<T>
}

export const setting = <T>(
  name: string,
  validator: BaseValidator<T>,
  fallback: string,
  description: string,
): Setting<T> => ({
  name: `BINDERY_${name}`,
  default: fallback,
  description,
  validator: () => validator(),
})
