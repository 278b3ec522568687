(** Trees of splits and leaves: if [check] says yes, no value of the formula on the box is below the threshold. *)
From Coq Require Import Reals ZArith List Lra Lia.
From Interval Require Import Real.Xreal Float.Basic Float.Sig Float.Specific_ops Float.Specific_bigint Float.Primitive_ops.
From Flocq Require Zaux.
From CPC Require Import Language.
From CPC Require Import Slopes Tables.
Import ListNotations.
Open Scope R_scope.

Inductive tree : Type :=
| Leaf                                     (** by the range of the formula *)
| Mean (multipliers : list (nat * rational)) (** by the mean-value form, with multipliers of conditions *)
| Split (i : nat) (at_ : rational) (low high : tree).

(** A link of a sum: its bound, and its tree. *)
Definition link : Type := rational * tree.

Module Trees (F : FloatOps with Definition radix := Zaux.radix2 with Definition sensible_format := true).

Module Import T := Tables.Tables F.
Import T.S T.S.R.

Section Precision.
Variable p : F.precision.

(** A lower bound reaches a threshold. *)
Definition reaches (i : I.type) (l : rational) : bool := nonneg_on (I.sub p i (number p l)).
Lemma reaches_correct : forall i l v, reaches i l = true -> inside i v -> real_of l <= v.
Proof.
  intros i l v R A. pose proof (nonneg_on_correct _ _ R (inside_sub p _ _ _ _ A (number_correct p l))). lra.
Qed.

(** Where the box is cut. *)
Fixpoint put (i : nat) (v : I.type) (b : list I.type) : list I.type :=
  match b, i with
  | [], _ => []
  | a :: b', O => v :: b'
  | a :: b', S j => a :: put j v b'
  end.
Definition lower_part (i : nat) (q : rational) (b : list I.type) : list I.type :=
  put i (I.meet (nth i b I.nai) (I.lower_extent (number p q))) b.
Definition upper_part (i : nat) (q : rational) (b : list I.type) : list I.type :=
  put i (I.meet (nth i b I.nai) (I.upper_extent (number p q))) b.

Lemma put_correct : forall b x i v, box_holds b x -> inside v (nth i x 0) -> box_holds (put i v b) x.
Proof.
  intros b x i v H. revert i. unfold box_holds in *. induction H; intros [| i] A; cbn in *; constructor; auto.
Qed.

Lemma parts_correct : forall b x i q, box_holds b x ->
  box_holds (lower_part i q b) x \/ box_holds (upper_part i q b) x.
Proof.
  intros b x i q H. destruct (Rle_dec (nth i x 0) (real_of q)) as [L | L]; [left | right]; apply put_correct; trivial;
    apply I.meet_correct; try apply nth_inside, H.
  - exact (I.lower_extent_correct _ _ _ (number_correct p q) L).
  - apply (I.upper_extent_correct _ _ _ (number_correct p q)). lra.
Qed.

(** Of the mean-value form: for each axis the lower end, the upper end or the middle, or (faces) no place. *)
Definition place (faces : bool) (d i : I.type) : option F.type :=
  if nonneg_on d then Some (I.lower i)
  else if nonpos_on d then Some (I.upper i)
  else if faces then None else Some (I.midpoint i).
Definition spot (i : I.type) (f : option F.type) : I.type := match f with Some m => point m | None => i end.
Definition moves (i : I.type) (f : option F.type) (d : I.type) : I.type :=
  match f with Some m => I.mul p d (I.sub p i (point m)) | None => I.zero end.
Definition may (i : I.type) (f : option F.type) : bool := match f with Some m => I.subset (point m) i | None => true end.

Fixpoint steps (b : list I.type) (f : list (option F.type)) (g : list I.type) : I.type :=
  match b, f, g with
  | i :: b', m :: f', d :: g' => I.add p (moves i m d) (steps b' f' g')
  | _, _, _ => I.zero
  end.

Definition mean_with (ks : list loan) (wary : bool) (e : expr) (l : rational) (b : list I.type) (f : list (option F.type)) : bool :=
  (forallb (fun h => h) (map2 may b f) && Nat.eqb (length f) (length b))
  && match slope p (length b) wary e b (map2 spot b f) with
     | Some d => let g := lent_dual p (length b) ks b (map2 spot b f) d in
         reaches (I.add p (near g) (steps b f (slopes g))) l
     | None => true
     end.

Definition mean_by (ks : list loan) (wary : bool) (e : expr) (l : rational) (b : list I.type) : bool :=
  match slope p (length b) wary e b b with
  | Some d => let g := lent_dual p (length b) ks b b d in
      mean_with ks wary e l b (map2 (place true) (slopes g) b)
      || mean_with ks wary e l b (map2 (place false) (slopes g) b)
  | None => true
  end.
Definition mean_leaf (ks : list loan) (e : expr) (l : rational) (b : list I.type) : bool :=
  mean_by ks false e l b || mean_by ks true e l b.

(** Places that go with a point of the box. *)
Fixpoint places (x : list R) (f : list (option F.type)) : list R :=
  match x, f with
  | v :: x', m :: f' => match m with Some h => proj_val (F.toX h) | None => v end :: places x' f'
  | _, _ => []
  end.

Lemma places_correct : forall b x f, box_holds b x -> length f = length b ->
  forallb (fun h => h) (map2 may b f) = true ->
  box_holds b (places x f) /\ box_holds (map2 spot b f) (places x f).
Proof.
  unfold box_holds. intros b x f H. revert f. induction H as [| i v b x A H R]; intros [| m f] L M; cbn in *; try discriminate.
  - split; constructor.
  - apply andb_prop in M. destruct M as [M N]. injection L as L. destruct (R f L N) as [P Q].
    assert (K : inside (spot i m) (match m with Some h => proj_val (F.toX h) | None => v end)
      /\ inside i (match m with Some h => proj_val (F.toX h) | None => v end)).
    { destruct m as [h |]; [| split; exact A]. cbn in M.
      pose proof (I.singleton_correct h) as S. split; [exact S | exact (I.subset_correct _ _ _ S M)]. }
    split; constructor; tauto.
Qed.

Lemma steps_correct : forall b x f g s, box_holds b x -> length f = length b -> length s = length b ->
  Forall2 inside g s -> inside (steps b f g) (gap s x (places x f)).
Proof.
  unfold box_holds. intros b x f g s H. revert f g s. induction H as [| i v b x A H R]; intros [| m f] g s L K G; cbn in *; try discriminate.
  - destruct G; cbn; exact zero_inside.
  - destruct G as [| d t g s D G]; cbn in *; [discriminate |]. apply inside_add; [| apply R; auto].
    destruct m as [h |]; cbn.
    + apply inside_mul; [exact D | apply inside_sub; [exact A | apply I.singleton_correct]].
    + replace (t * (v - v)) with 0 by ring. exact zero_inside.
Qed.

(** From here on: a formula, and tables that are lent to it. *)
Section Lent.
Variable ts : list lent.
Let ks : list loan := map (loan_of p) ts.
Definition with_lent (e : expr) (x : list R) : R := value e x + lent_value ts x.

Lemma mean_with_correct : forall w e l b f x, mean_with ks w e l b f = true -> box_holds b x -> fits ts x -> defined e x ->
  real_of l <= with_lent e x.
Proof.
  intros w e l b f x M X T D. unfold mean_with in M. apply andb_prop in M. destruct M as [M S].
  apply andb_prop in M. destruct M as [M L]. apply Nat.eqb_eq in L.
  destruct (places_correct _ _ _ X L M) as [P Q].
  pose proof (slope_correct p (length b) w e b (map2 spot b f) x (places x f) X P Q eq_refl D) as H.
  destruct (slope p (length b) w e b (map2 spot b f)) as [d |]; [| destruct H].
  destruct (lent_dual_correct p ts b (map2 spot b f) x (places x f) (length b) d _ X P Q eq_refl T H)
    as [_ [c [s [_ [N [G [K E]]]]]]].
  apply (reaches_correct _ _ _ S). unfold with_lent.
  replace (value e x + lent_value ts x) with (c + gap s x (places x f)) by lra.
  apply inside_add; [exact N | apply steps_correct; assumption].
Qed.

Lemma mean_by_correct : forall w e l b x, mean_by ks w e l b = true -> box_holds b x -> fits ts x -> defined e x ->
  real_of l <= with_lent e x.
Proof.
  intros w e l b x M X T D. unfold mean_by in M.
  pose proof (slope_correct p (length b) w e b b x x X X X eq_refl D) as H.
  destruct (slope p (length b) w e b b) as [d |]; [| destruct H].
  apply Bool.orb_prop in M. destruct M as [M | M]; exact (mean_with_correct _ _ _ _ _ _ M X T D).
Qed.

Lemma mean_leaf_correct : forall e l b x, mean_leaf ks e l b = true -> box_holds b x -> fits ts x -> defined e x ->
  real_of l <= with_lent e x.
Proof.
  intros e l b x M X T D. apply Bool.orb_prop in M. destruct M as [M | M]; exact (mean_by_correct _ _ _ _ _ M X T D).
Qed.
End Lent.

(** Multiples of conditions, which are not negative, are taken off. *)
Definition nonneg_number (q : rational) : bool := Z.leb 0 (fst q).
Fixpoint taken_off (e g : expr) (m : list (nat * rational)) : expr :=
  match m with
  | [] => g
  | (k, q) :: m' => Sub (taken_off e g m') (Mul (Num q) (nth k (conditions e) (Num (0%Z, 1%positive))))
  end.

Lemma nonneg_number_correct : forall q, nonneg_number q = true -> 0 <= real_of q.
Proof.
  intros [n d] H. unfold nonneg_number in H. cbn in H. apply Z.leb_le, IZR_le in H. unfold real_of.
  destruct d; try exact H; apply Rmult_le_pos; try exact H; left; apply Rinv_0_lt_compat, IZR_lt; reflexivity.
Qed.

Lemma taken_off_correct : forall e m x, forallb (fun c => nonneg_number (snd c)) m = true -> defined e x ->
  defined (taken_off e e m) x /\ value (taken_off e e m) x <= value e x.
Proof.
  intros e m x. induction m as [| [k q] m R]; intros M D; cbn [taken_off].
  - split; [exact D | lra].
  - cbn in M. apply andb_prop in M. destruct M as [Q M]. destruct (R M D) as [A B].
    assert (C : defined (nth k (conditions e) (Num (0%Z, 1%positive))) x
      /\ 0 <= value (nth k (conditions e) (Num (0%Z, 1%positive))) x).
    { destruct (nth_in_or_default k (conditions e) (Num (0%Z, 1%positive))) as [I | ->].
      - exact (conditions_hold _ _ _ D I).
      - cbn. split; [exact Logic.I | lra]. }
    pose proof (nonneg_number_correct _ Q). cbn [defined value]. split; [tauto |].
    pose proof (Rmult_le_pos _ _ H (proj2 C)). lra.
Qed.

Definition natural_leaf (ks : list loan) (e : expr) (l : rational) (b : list I.type) : bool :=
  match range p e b with Some i => reaches (lent_range p ks b i) l | None => true end.

Definition leaf (ks : list loan) (e : expr) (l : rational) (m : option (list (nat * rational))) (b : list I.type) : bool :=
  natural_leaf ks e l b || match m with
    | Some q => forallb (fun c => nonneg_number (snd c)) q && mean_leaf ks (taken_off e e q) l b
    | None => false
    end.

(** A leaf that does not hold by itself is halved along one of the axes [vs] after the other, [d] times at most. *)
Fixpoint halved (d : nat) (ks : list loan) (vs : list nat) (e : expr) (l : rational) (m : option (list (nat * rational)))
    (b : list I.type) : bool :=
  if leaf ks e l m b then true else
  match d with
  | O => false
  | S d' =>
      let i := nth (Nat.modulo d (length vs)) vs O in
      let h := I.bisect (nth i b I.nai) in
      if halved d' ks vs e l m (put i (fst h) b) then halved d' ks vs e l m (put i (snd h) b) else false
  end.

Fixpoint check (d : nat) (ks : list loan) (vs : list nat) (e : expr) (l : rational) (t : tree) (b : list I.type) : bool :=
  match t with
  | Leaf => halved d ks vs e l None b
  | Mean m => halved d ks vs e l (Some m) b
  | Split i q low high =>
      if check d ks vs e l low (lower_part i q b) then check d ks vs e l high (upper_part i q b) else false
  end.

Section LentTrees.
Variable ts : list lent.
Let ks : list loan := map (loan_of p) ts.

Lemma natural_leaf_correct : forall e l b x, natural_leaf ks e l b = true -> box_holds b x -> fits ts x -> defined e x ->
  real_of l <= with_lent ts e x.
Proof.
  intros e l b x C X T D. unfold natural_leaf in C. pose proof (range_correct p e b x X D) as R.
  destruct (range p e b); [| destruct R].
  exact (reaches_correct _ _ _ C (lent_range_correct p ts b x _ _ X T R)).
Qed.

Lemma leaf_correct : forall e l m b x, leaf ks e l m b = true -> box_holds b x -> fits ts x -> defined e x ->
  real_of l <= with_lent ts e x.
Proof.
  intros e l m b x C X T D. unfold leaf in C. apply Bool.orb_prop in C.
  destruct C as [C | C]; [exact (natural_leaf_correct _ _ _ _ C X T D) |].
  destruct m as [q |]; [| discriminate]. apply andb_prop in C. destruct C as [M C].
  destruct (taken_off_correct _ _ _ M D) as [A B]. pose proof (mean_leaf_correct ts _ _ _ _ C X T A) as H.
  unfold with_lent in *. lra.
Qed.

Lemma halved_correct : forall d vs e l m b x, halved d ks vs e l m b = true -> box_holds b x -> fits ts x -> defined e x ->
  real_of l <= with_lent ts e x.
Proof.
  intros d vs e l m. induction d as [| d R]; intros b x C X T D; cbn [halved] in C;
    destruct (leaf ks e l m b) eqn:L; try exact (leaf_correct _ _ _ _ _ L X T D); try discriminate.
  set (i := nth (Nat.modulo (S d) (length vs)) vs O) in *. set (h := I.bisect (nth i b I.nai)) in *.
  destruct (halved d ks vs e l m (put i (fst h) b)) eqn:H; [| discriminate].
  destruct (I.bisect_correct _ _ (nth_inside _ _ i X)) as [B | B].
  - exact (R _ _ H (put_correct _ _ _ _ X B) T D).
  - exact (R _ _ C (put_correct _ _ _ _ X B) T D).
Qed.

Theorem check_correct : forall t d vs e l b x, check d ks vs e l t b = true -> box_holds b x -> fits ts x -> defined e x ->
  real_of l <= with_lent ts e x.
Proof.
  intros t d vs e l. induction t as [| m | i q low IHl high IHh]; intros b x C X T D; cbn [check] in C.
  - exact (halved_correct _ _ _ _ _ _ _ C X T D).
  - exact (halved_correct _ _ _ _ _ _ _ C X T D).
  - destruct (check d ks vs e l low (lower_part i q b)) eqn:L; [| discriminate].
    destruct (parts_correct _ _ i q X) as [P | P]; [exact (IHl _ _ L P T D) | exact (IHh _ _ C P T D)].
Qed.
End LentTrees.

(** Boxes with rational ends. *)
Definition interval_of (s : side) : I.type :=
  I.meet (I.upper_extent (number p (fst s))) (I.lower_extent (number p (snd s))).
Definition box_of (b : list side) : list I.type := map interval_of b.

Lemma box_of_correct : forall b x, in_box b x -> box_holds (box_of b) x.
Proof.
  unfold box_holds. intros b. induction b as [| [l u] b R]; intros [| v x] H; cbn in *; try contradiction; constructor.
  - destruct H as [[L U] _]. apply I.meet_correct.
    + exact (I.upper_extent_correct _ _ _ (number_correct p l) L).
    + exact (I.lower_extent_correct _ _ _ (number_correct p u) U).
  - apply R. tauto.
Qed.

(** The axes along which leaves of a formula are halved. *)
Definition axes (e : expr) (n : nat) : list nat := filter (fun i => mentions i e) (seq 0 n).
Definition check_tree (d : nat) (e : expr) (l : rational) (t : tree) (b : list I.type) : bool :=
  check d [] (axes e (length b)) e l t b.

Lemma check_tree_correct : forall d e l t b x, check_tree d e l t b = true -> box_holds b x -> defined e x ->
  real_of l <= value e x.
Proof.
  intros d e l t b x C X D. pose proof (check_correct [] _ _ _ _ _ _ _ C X (Forall_nil _) D) as H.
  unfold with_lent, lent_value in H. cbn in H. lra.
Qed.

Theorem by_tree : forall d e l t b, check_tree d e l t (box_of b) = true ->
  forall x, in_box b x -> defined e x -> real_of l <= value e x.
Proof. intros d e l t b C x X D. exact (check_tree_correct _ _ _ _ _ _ C (box_of_correct _ _ X) D). Qed.

(** Sums taken apart: every term belongs to one link, and every link has a bound of its own. *)
Fixpoint terms (e : expr) : list (bool * expr) :=
  match e with
  | Add a b => terms a ++ terms b
  | Sub a b => terms a ++ map (fun t => (negb (fst t), snd t)) (terms b)
  | Neg a => map (fun t => (negb (fst t), snd t)) (terms a)
  | _ => [(true, e)]
  end.
Definition signed (t : bool * expr) (x : list R) : R := if fst t then value (snd t) x else - value (snd t) x.
Definition total (ts : list (bool * expr)) (x : list R) : R := fold_right (fun t s => signed t x + s) 0 ts.

Lemma total_app : forall a b x, total (a ++ b) x = total a x + total b x.
Proof. intros a b x. unfold total. induction a; cbn [app fold_right]; [ring | rewrite IHa; ring]. Qed.
Lemma total_neg : forall a x, total (map (fun t => (negb (fst t), snd t)) a) x = - total a x.
Proof.
  intros a x. unfold total. induction a as [| [s e] a R]; cbn [map fold_right]; [ring |]. rewrite R. unfold signed.
  destruct s; cbn [negb fst snd]; ring.
Qed.

Lemma terms_correct : forall e x, total (terms e) x = value e x.
Proof.
  intros e x. induction e; cbn [terms value]; rewrite ?total_app, ?total_neg; try (rewrite IHe); try (rewrite IHe1, IHe2);
    try ring; unfold total, signed; cbn [fold_right fst snd value]; ring.
Qed.

Lemma terms_defined : forall e x, defined e x -> Forall (fun t => defined (snd t) x) (terms e).
Proof.
  assert (N : forall (l : list (bool * expr)) x, Forall (fun t => defined (snd t) x) l ->
    Forall (fun t => defined (snd t) x) (map (fun t => (negb (fst t), snd t)) l)).
  { intros l x H. induction H; cbn; constructor; assumption. }
  intros e x. induction e; cbn [terms defined]; intros D;
    try (constructor; [cbn [snd defined]; tauto | constructor]).
  - apply N, IHe, D.
  - apply Forall_app. split; tauto.
  - apply Forall_app. split; [tauto | apply N; tauto].
Qed.

(** The terms of link k, of which each term says its number. *)
Fixpoint picked (k : nat) (ts : list (bool * expr)) (of : list nat) : expr :=
  match ts, of with
  | (s, t) :: ts', j :: of' =>
      if Nat.eqb j k then (if s then Add (picked k ts' of') t else Sub (picked k ts' of') t) else picked k ts' of'
  | _, _ => Num (0%Z, 1%positive)
  end.

(** A table on a variable, the link that has it added, and the one that has it taken off. *)
Definition exchange : Type := (nat * table) * (nat * nat).
Definition lent_to (k : nat) (es : list exchange) : list lent :=
  flat_map (fun e : exchange => (if Nat.eqb (fst (snd e)) k then [(true, fst e)] else [])
    ++ (if Nat.eqb (snd (snd e)) k then [(false, fst e)] else [])) es.
Fixpoint all_links (d : nat) (e : expr) (of : list nat) (es : list exchange) (k : nat) (ls : list link) (b : list I.type) : bool :=
  match ls with
  | [] => true
  | (l, t) :: ls' =>
      let g := picked k (terms e) of in
      check d (map (loan_of p) (lent_to k es)) (axes g (length b)) g l t b && all_links d e of es (S k) ls' b
  end.
Fixpoint sum_of (ls : list link) : R := match ls with [] => 0 | (l, _) :: ls' => real_of l + sum_of ls' end.
Fixpoint links_total (ts : list (bool * expr)) (of : list nat) (k m : nat) (x : list R) : R :=
  match m with O => 0 | S m' => value (picked k ts of) x + links_total ts of (S k) m' x end.

Lemma picked_total : forall ts of k m x, length of = length ts ->
  forallb (fun j => andb (Nat.leb k j) (Nat.ltb j (k + m))) of = true -> links_total ts of k m x = total ts x.
Proof.
  assert (Z : forall m k x, links_total [] [] k m x = 0) by (intros m; induction m; intros; cbn; [| rewrite IHm]; ring).
  assert (S1 : forall m k s t ts j of x, links_total ((s, t) :: ts) (j :: of) k m x
    = links_total ts of k m x + (if (Nat.leb k j && Nat.ltb j (k + m))%bool then signed (s, t) x else 0)).
  { intros m. induction m; intros k s t ts j of x; cbn [links_total].
    - replace (Nat.leb k j && Nat.ltb j (k + 0))%bool with false; [ring |].
      symmetry. apply Bool.andb_false_iff. destruct (Nat.leb_spec k j); [right | left; reflexivity].
      apply Nat.ltb_ge. rewrite Nat.add_0_r. assumption.
    - rewrite IHm. cbn [picked].
      destruct (Nat.eqb_spec j k) as [-> | E].
      + rewrite Nat.leb_refl. replace (Nat.ltb k (k + S m)) with true by (symmetry; apply Nat.ltb_lt; rewrite Nat.add_succ_r; apply Nat.lt_succ_r, Nat.le_add_r).
        replace (Nat.leb (S k) k) with false by (symmetry; apply Nat.leb_gt, Nat.lt_succ_diag_r). cbn [andb].
        unfold signed. destruct s; cbn [fst snd value]; ring.
      + replace (k + S m)%nat with (S k + m)%nat by (rewrite Nat.add_succ_r; reflexivity).
        replace (Nat.leb (S k) j) with (Nat.leb k j); [ring |].
        apply Bool.eq_iff_eq_true. rewrite !Nat.leb_le. split; intros; [destruct (Nat.eq_dec k j); [subst; contradiction | apply Nat.le_neq; split; assumption] | apply Nat.lt_le_incl; assumption]. }
  intros ts. induction ts as [| [s t] ts R]; intros [| j of] k m x L B; cbn in L; try discriminate; [apply Z |].
  cbn [forallb] in B. apply andb_prop in B. destruct B as [B1 B2].
  rewrite S1, B1, R by (try assumption; congruence). cbn. unfold total. ring.
Qed.

Lemma picked_defined : forall ts of k x, Forall (fun t => defined (snd t) x) ts -> defined (picked k ts of) x.
Proof.
  intros ts of k x H. revert of. induction H as [| [s t] ts D H R]; intros [| j of]; cbn [picked]; try exact Logic.I.
  destruct (Nat.eqb j k); [| apply R]. destruct s; cbn [defined]; split; try apply R; exact D.
Qed.

(** The bounds of the links, added as the fractions that they are. *)
Fixpoint added (ls : list link) : rational :=
  match ls with [] => (0%Z, 1%positive) | (l, _) :: ls' => plus_q l (added ls') end.
Lemma sum_correct : forall ls, real_of (added ls) = sum_of ls.
Proof.
  intros ls. induction ls as [| [l t] ls R]; cbn [added sum_of]; [reflexivity |]. rewrite plus_q_correct, R. reflexivity.
Qed.

(** Every table is whole, spans the side of its variable, and is added once and taken off once. *)
Definition exchanged (m : nat) (b : list side) (e : exchange) : bool :=
  (is_whole (snd (fst e)) && (Nat.ltb (fst (snd e)) m && Nat.ltb (snd (snd e)) m))
  && match nth_error b (fst (fst e)) with
     | Some (l, u) => negb (before l (fst (first (snd (fst e))))) && negb (before (fst (last (snd (fst e)))) u)
     | None => false
     end.

Lemma nth_side : forall b x k l u, in_box b x -> nth_error b k = Some (l, u) -> real_of l <= nth k x 0 <= real_of u.
Proof.
  intros b. induction b as [| [l0 u0] b R]; intros [| v x] [| k] l u X E; cbn in *; try discriminate; try contradiction.
  - injection E as <- <-. tauto.
  - apply (R x k); tauto.
Qed.

Lemma exchanged_fits : forall m b es k x, forallb (exchanged m b) es = true -> in_box b x -> fits (lent_to k es) x.
Proof.
  intros m b es k x E X. unfold fits. apply Forall_forall. intros [s [v f]] H.
  unfold lent_to in H. apply in_flat_map in H. destruct H as [[[v' f'] [a c]] [I H]].
  assert (G : (v, f) = (v', f')).
  { apply in_app_or in H. cbn in H. destruct H as [H | H];
      [destruct (Nat.eqb a k) | destruct (Nat.eqb c k)]; cbn in H; intuition congruence. }
  injection G as <- <-. rewrite forallb_forall in E. specialize (E _ I). unfold exchanged in E. cbn [fst snd] in *.
  apply andb_prop in E. destruct E as [E S]. apply andb_prop in E. destruct E as [W _].
  destruct (nth_error b v) as [[l u] |] eqn:N; [| discriminate]. apply andb_prop in S. destruct S as [L U].
  apply Bool.negb_true_iff in L, U. pose proof (before_correct l (fst (first f))) as P. rewrite L in P.
  pose proof (before_correct (fst (last f)) u) as Q. rewrite U in Q. pose proof (nth_side _ _ _ _ _ X N).
  split; [apply is_whole_correct, W | split; lra].
Qed.

Fixpoint lent_total (es : list exchange) (k m : nat) (x : list R) : R :=
  match m with O => 0 | S m' => lent_value (lent_to k es) x + lent_total es (S k) m' x end.

Lemma lent_value_app : forall a b x, lent_value (a ++ b) x = lent_value a x + lent_value b x.
Proof. intros a b x. unfold lent_value. induction a; cbn [app fold_right]; [ring | rewrite IHa; ring]. Qed.

Lemma lent_cancels : forall es m b x, forallb (exchanged m b) es = true -> lent_total es 0 m x = 0.
Proof.
  assert (N : forall m k x, lent_total [] k m x = 0) by (intros m; induction m; intros; cbn; [| rewrite IHm]; ring).
  assert (O : forall m k v a c es x, lent_total ((v, (a, c)) :: es) k m x = lent_total es k m x
    + (if (Nat.leb k a && Nat.ltb a (k + m))%bool then lent_value [(true, v)] x else 0)
    + (if (Nat.leb k c && Nat.ltb c (k + m))%bool then lent_value [(false, v)] x else 0)).
  { assert (J : forall k m a, ((if Nat.eqb a k then 1 else 0) + (if (Nat.leb (S k) a && Nat.ltb a (S k + m))%bool then 1 else 0)
      = (if (Nat.leb k a && Nat.ltb a (k + S m))%bool then 1 else 0))%nat).
    { intros k m a. destruct (Nat.eqb_spec a k), (Nat.leb_spec (S k) a), (Nat.ltb_spec a (S k + m)), (Nat.leb_spec k a),
        (Nat.ltb_spec a (k + S m)); cbn; lia. }
    assert (K : forall k m a (z : R), (if Nat.eqb a k then z else 0) + (if (Nat.leb (S k) a && Nat.ltb a (S k + m))%bool then z else 0)
      = (if (Nat.leb k a && Nat.ltb a (k + S m))%bool then z else 0)).
    { intros k m a z. specialize (J k m a). destruct (Nat.eqb a k), (_ && _)%bool, (Nat.leb k a && Nat.ltb a (k + S m))%bool;
        try discriminate J; ring. }
    assert (Q : forall (c s : bool) (v : nat * table) x,
      lent_value (if c then [(s, v)] else []) x = if c then lent_value [(s, v)] x else 0) by (intros [] s v x; reflexivity).
    intros m. induction m; intros k v a c es x; cbn [lent_total].
    - replace (k + 0)%nat with k by lia.
      replace (Nat.leb k a && Nat.ltb a k)%bool with false by (destruct (Nat.leb_spec k a), (Nat.ltb_spec a k); cbn; try reflexivity; lia).
      replace (Nat.leb k c && Nat.ltb c k)%bool with false by (destruct (Nat.leb_spec k c), (Nat.ltb_spec c k); cbn; try reflexivity; lia).
      ring.
    - rewrite IHm. rewrite <- (K k m a), <- (K k m c).
      change (lent_to k ((v, (a, c)) :: es)) with
        (((if Nat.eqb a k then [(true, v)] else []) ++ (if Nat.eqb c k then [(false, v)] else [])) ++ lent_to k es).
      rewrite !lent_value_app, !Q. ring. }
  intros es m b x. induction es as [| [v [a c]] es R]; intros E; [apply N |].
  cbn [forallb] in E. apply andb_prop in E. destruct E as [E E']. rewrite O, (R E').
  unfold exchanged in E. cbn [fst snd] in E. apply andb_prop in E. destruct E as [E _]. apply andb_prop in E.
  destruct E as [_ E]. apply andb_prop in E. destruct E as [A C]. cbn [Nat.leb plus Nat.add]. rewrite A, C. cbn. destruct v as [v f]. cbn. ring.
Qed.

Definition check_sum (d : nat) (e : expr) (l : rational) (of : list nat) (es : list exchange) (ls : list link) (b : list side) : bool :=
  negb (before (added ls) l) &&
  (Nat.eqb (length of) (length (terms e)) && forallb (fun j => andb (Nat.leb 0 j) (Nat.ltb j (0 + length ls))) of)
  && (forallb (exchanged (length ls) b) es && all_links d e of es 0 ls (box_of b)).

Theorem by_links : forall d e l of es ls b, check_sum d e l of es ls b = true ->
  forall x, in_box b x -> defined e x -> real_of l <= value e x.
Proof.
  intros d e l of es ls b C x X D. unfold check_sum in C. apply andb_prop in C. destruct C as [C A].
  apply andb_prop in A. destruct A as [Y A].
  apply andb_prop in C. destruct C as [W C]. apply andb_prop in C. destruct C as [L B].
  apply Bool.negb_true_iff in W. pose proof (before_correct (added ls) l) as V. rewrite W, sum_correct in V. apply Nat.eqb_eq in L.
  pose proof (box_of_correct _ _ X) as H. pose proof (terms_defined _ _ D) as T.
  assert (G : forall ks k, all_links d e of es k ks (box_of b) = true ->
    sum_of ks <= links_total (terms e) of k (length ks) x + lent_total es k (length ks) x).
  { intros ks. induction ks as [| [u t] ks R]; intros k K; cbn in *; [lra |].
    apply andb_prop in K. destruct K as [K1 K2].
    pose proof (check_correct _ _ _ _ _ _ _ _ K1 H (exchanged_fits _ _ _ k _ Y X) (picked_defined _ of k _ T)) as Z.
    pose proof (R _ K2). unfold with_lent in Z. lra. }
  pose proof (G ls 0%nat A) as S. rewrite (picked_total _ _ _ _ _ L B), terms_correct, (lent_cancels _ _ _ _ Y) in S. lra.
Qed.

(** A point at which the formula is surely defined, for upper bounds. *)
Fixpoint sure (e : expr) (b : list I.type) : bool :=
  match e with
  | Var _ | Num _ | Pi => true
  | Neg a | Abs a | Exp a | Sin a | Cos a | Sinc a | Whole a _ => sure a b
  | Sqrt a => sure a b && match range p a b with Some i => nonneg_on i | None => false end
  | Ln a => sure a b && match range p a b with Some i => positive_on i | None => false end
  | Arcsin a => sure a b && match range p a b with
      | Some i => nonneg_on (I.sub p (unit p) i) && nonneg_on (I.add p (unit p) i)
      | None => false
      end
  | Add a c | Sub a c | Mul a c => sure a b && sure c b
  | Div a c => sure a b && (sure c b && match range p c b with
      | Some i => positive_on i || negative_on i
      | None => false
      end)
  | Power a c => sure a b && (sure c b && match range p a b, range p c b with
      | Some i, Some j => positive_on i || (nonneg_on i && nonneg_on j)
      | _, _ => false
      end)
  end.

Lemma sure_correct : forall e b x, sure e b = true -> box_holds b x -> defined e x.
Proof.
  intros e b x S X. induction e; cbn [sure defined] in *; try exact Logic.I; auto;
    repeat match goal with H : (_ && _)%bool = true |- _ => apply andb_prop in H; destruct H end;
    repeat match goal with
    | IH : sure ?a b = true -> defined ?a x, S : sure ?a b = true |- _ => specialize (IH S)
    end;
    repeat match goal with
    | D : defined ?a x, H : context [range p ?a b] |- _ =>
        pose proof (range_correct p a b x X D); destruct (range p a b); [cbn [holds] in * | discriminate]
    end; repeat split; auto.
  - eapply nonneg_on_correct; eassumption.
  - eapply positive_on_correct; eassumption.
  - match goal with H : (_ && _)%bool = true, A : inside ?i _ |- _ => apply andb_prop in H; destruct H as [U L];
      pose proof (nonneg_on_correct _ _ L (inside_add p _ _ _ _ (unit_correct p) A)); lra end.
  - match goal with H : (_ && _)%bool = true, A : inside ?i _ |- _ => apply andb_prop in H; destruct H as [U L];
      pose proof (nonneg_on_correct _ _ U (inside_sub p _ _ _ _ (unit_correct p) A)); lra end.
  - match goal with H : (_ || _)%bool = true, A : inside ?i (value e2 x) |- _ => apply Bool.orb_prop in H; destruct H as [H | H];
      [pose proof (positive_on_correct _ _ H A) | pose proof (negative_on_correct _ _ H A)]; lra end.
  - match goal with H : (_ || _)%bool = true |- _ => apply Bool.orb_prop in H; destruct H as [Y | Y] end.
    + left. eapply positive_on_correct; eassumption.
    + apply andb_prop in Y. destruct Y as [A B].
      match goal with V : inside _ (value e1 x), W : inside _ (value e2 x) |- _ =>
        pose proof (nonneg_on_correct _ _ A V); pose proof (nonneg_on_correct _ _ B W) end.
      destruct (Req_dec (value e1 x) 0); [right | left]; lra.
Qed.

Fixpoint point_in (b : list side) (q : list rational) : bool :=
  match b, q with
  | [], [] => true
  | (l, u) :: b', v :: q' => negb (before v l) && (negb (before u v) && point_in b' q')
  | _, _ => false
  end.

Lemma point_in_correct : forall b q, point_in b q = true -> in_box b (map real_of q).
Proof.
  intros b. induction b as [| [l u] b R]; intros [| v q] H; cbn [point_in map in_box] in *; try discriminate; trivial.
  apply andb_prop in H. destruct H as [L H]. apply andb_prop in H. destruct H as [U H].
  apply Bool.negb_true_iff in L, U. pose proof (before_correct v l) as P. pose proof (before_correct u v) as Q.
  rewrite L in P. rewrite U in Q. split; [lra | apply R, H].
Qed.

Definition check_point (e : expr) (u : rational) (q : list rational) (b : list side) : bool :=
  point_in b q && (sure e (map (number p) q) && match range p e (map (number p) q) with
    | Some i => nonneg_on (I.sub p (number p u) i)
    | None => false
    end).

Theorem by_point : forall e u q b, check_point e u q b = true ->
  in_box b (map real_of q) /\ defined e (map real_of q) /\ value e (map real_of q) <= real_of u.
Proof.
  intros e u q b C. unfold check_point in C. apply andb_prop in C. destruct C as [I C]. apply andb_prop in C.
  destruct C as [S C].
  assert (X : box_holds (map (number p) q) (map real_of q))
    by (unfold box_holds; clear; induction q; cbn; constructor; [apply number_correct | assumption]).
  pose proof (sure_correct _ _ _ S X) as D. split; [apply point_in_correct, I |]. split; [exact D |].
  pose proof (range_correct p e _ _ X D) as R. destruct (range p e (map (number p) q)) as [i |]; [| destruct R].
  pose proof (nonneg_on_correct _ _ C (inside_sub p _ _ _ _ (number_correct p u) R)). lra.
Qed.

End Precision.

End Trees.

