(** Formulas, and what they mean: real numbers, a value or none. *)
From Coq Require Import Reals ZArith List.
Import ListNotations.
Open Scope R_scope.

(** A rational number: numerator and denominator. *)
Definition rational : Type := Z * positive.
Definition real_of (q : rational) : R :=
  match q with
  | (n, 1%positive) => IZR n
  | (n, d) => IZR n / IZR (Zpos d)
  end.

(** Variables count from 0. [Whole a n] is a^n with a whole number n of at least 1; every other power is [Power a b]. *)
Inductive expr : Type :=
| Var (i : nat) | Num (q : rational) | Pi
| Neg (a : expr) | Abs (a : expr) | Sqrt (a : expr) | Ln (a : expr) | Exp (a : expr)
| Sin (a : expr) | Cos (a : expr) | Arcsin (a : expr) | Sinc (a : expr)
| Add (a b : expr) | Sub (a b : expr) | Mul (a b : expr) | Div (a b : expr)
| Whole (a : expr) (n : positive) | Power (a b : expr).

(** a^b for a base that is not negative: 0^0 is 1, 0^b is 0 otherwise. *)
Definition power (a b : R) : R :=
  if Req_EM_T a 0 then (if Req_EM_T b 0 then 1 else 0) else Rpower a b.

(** sin(v)/v, and 1 at 0. The formulas of problems have no such part: it is what a quotient is without its hole. *)
Definition sinc (v : R) : R := if Req_EM_T v 0 then 1 else sin v / v.

Lemma sinc_away : forall x, x <> 0 -> sinc x = sin x / x.
Proof. intros x N. unfold sinc. destruct (Req_EM_T x 0); [contradiction | reflexivity]. Qed.

(** The value at a point; it means something where the formula is defined. *)
Fixpoint value (e : expr) (x : list R) : R :=
  match e with
  | Var i => nth i x 0
  | Num q => real_of q
  | Pi => PI
  | Neg a => - value a x
  | Abs a => Rabs (value a x)
  | Sqrt a => sqrt (value a x)
  | Ln a => ln (value a x)
  | Exp a => exp (value a x)
  | Sin a => sin (value a x)
  | Cos a => cos (value a x)
  | Arcsin a => asin (value a x)
  | Sinc a => sinc (value a x)
  | Add a b => value a x + value b x
  | Sub a b => value a x - value b x
  | Mul a b => value a x * value b x
  | Div a b => value a x / value b x
  | Whole a n => value a x ^ Pos.to_nat n
  | Power a b => power (value a x) (value b x)
  end.

(** Every operation has a real result; the base of a power is positive, or 0 with an exponent of at least 0. *)
Fixpoint defined (e : expr) (x : list R) : Prop :=
  match e with
  | Var _ | Num _ | Pi => True
  | Neg a | Abs a | Exp a | Sin a | Cos a | Sinc a | Whole a _ => defined a x
  | Sqrt a => defined a x /\ 0 <= value a x
  | Ln a => defined a x /\ 0 < value a x
  | Arcsin a => defined a x /\ -1 <= value a x <= 1
  | Add a b | Sub a b | Mul a b => defined a x /\ defined b x
  | Div a b => defined a x /\ defined b x /\ value b x <> 0
  | Power a b => defined a x /\ defined b x /\ (0 < value a x \/ (value a x = 0 /\ 0 <= value b x))
  end.

(** Operands that are not negative wherever the formula is defined. *)
Fixpoint conditions (e : expr) : list expr :=
  match e with
  | Var _ | Num _ | Pi => []
  | Neg a | Abs a | Exp a | Sin a | Cos a | Sinc a | Whole a _ | Arcsin a => conditions a
  | Sqrt a | Ln a => conditions a ++ [a]
  | Add a b | Sub a b | Mul a b | Div a b => conditions a ++ conditions b
  | Power a b => conditions a ++ conditions b ++ [a]
  end.

Lemma conditions_hold : forall e x c, defined e x -> In c (conditions e) -> defined c x /\ 0 <= value c x.
Proof.
  intros e x c; induction e; cbn [defined conditions]; intros D C;
    repeat match goal with
    | H : _ /\ _ |- _ => destruct H
    | H : In _ [] |- _ => destruct H
    | H : In _ (_ ++ _) |- _ => apply in_app_or in H; destruct H
    | H : In _ (_ :: _) |- _ => destruct H; [subst | destruct H]
    end; auto with real; try tauto.
  split; [assumption |].
  match goal with H : _ \/ _ |- _ => destruct H as [H | [H _]] end; [left; assumption | right; symmetry; assumption].
Qed.

(** Whether a variable stands in a formula, and whether all that do count below n. *)
Fixpoint mentions (i : nat) (e : expr) : bool :=
  match e with
  | Var k => Nat.eqb i k
  | Num _ | Pi => false
  | Neg a | Abs a | Exp a | Sin a | Cos a | Sinc a | Whole a _ | Sqrt a | Ln a | Arcsin a => mentions i a
  | Add a b | Sub a b | Mul a b | Div a b | Power a b => mentions i a || mentions i b
  end.
Fixpoint below (n : nat) (e : expr) : bool :=
  match e with
  | Var k => Nat.ltb k n
  | Num _ | Pi => true
  | Neg a | Abs a | Exp a | Sin a | Cos a | Sinc a | Whole a _ | Sqrt a | Ln a | Arcsin a => below n a
  | Add a b | Sub a b | Mul a b | Div a b | Power a b => below n a && below n b
  end.

(** Boxes with rational ends. *)
Definition side : Type := rational * rational.
Fixpoint in_box (b : list side) (x : list R) : Prop :=
  match b, x with
  | [], [] => True
  | (l, u) :: b', v :: x' => real_of l <= v <= real_of u /\ in_box b' x'
  | _, _ => False
  end.
