// Of the speaker that comes with the service, and of one daemon. truth.soak.test.ts has the others.
import { testTruth } from './truth.ts';

testTruth(['builtin', 'bird']);
